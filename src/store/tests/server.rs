//! What only a server has: connections that break, two writers, readers at the horizon. Run by the name of their module, with
//! `DROVER_TEST_SERVER` set.

use super::fake::{
    Pen, TOURNAMENT, asked, database_file, match_id, new_match, new_tournament, open, opened,
    received, round, said, settings, slot,
};
use super::packing::{played, read};
use crate::cluster::{Claim, Coordination as _, CoordinationError, Holding, Kind, Resource};
use crate::history::{self, Filter, GameRules, PageAt};
use crate::store::sql::{query, query_as};
use crate::store::types::{Close, Follows, TournamentRow};
use crate::store::{Append, MatchResult, MatchRow, Settings, Store, StoreError, StoredModel, copy};
use games::Cause;
use std::time::Duration;

/// Ends all connections to the store's database but this one.
const CUT: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

async fn cut(store: &Store) {
    // The connection may be one of those that were ended before.
    while query(CUT).execute(store.reader().pool()).await.is_err() {}
}

async fn texts(store: &Store, pen: &Pen) -> Vec<String> {
    let entries = history::transcript(store.reader(), pen.id, pen.previous.unwrap());
    let entries = entries.await.unwrap().into_iter();
    entries.map(|entry| entry.text).collect()
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn a_cut_connection_loses_nothing_and_repeats_nothing() {
    let (folder, store, mut pen) = asked().await;
    let mut written = vec!["ask".to_owned()];
    let cutter = open(folder.path()).await;
    let mut cuts = Vec::new();
    for at in 0..200 {
        let text = format!("{at}");
        if at % 5 == 0 {
            let cutter = cutter.clone();
            cuts.push(tokio::spawn(async move { cut(&cutter).await }));
        }
        loop {
            match store.append(pen.append(vec![said(&text)])).await {
                Ok(receipt) => {
                    (pen.previous, pen.seq) = (receipt.last, pen.seq + 1);
                    written.push(text);
                    break;
                }
                Err(StoreError::Unwritable(_)) => {}
                Err(error) => panic!("{at}: {error}"),
            }
        }
    }
    for cut in cuts {
        cut.await.unwrap();
    }
    let reader = open(folder.path()).await;
    assert_eq!(texts(&reader, &pen).await, written);
}

/// What lists, models, tournaments and the list of changes say.
async fn shown(
    store: &Store,
) -> (
    Vec<MatchRow>,
    Vec<StoredModel>,
    Option<TournamentRow>,
    usize,
) {
    let (reader, all, any) = (store.reader(), PageAt::first(250), Filter::default());
    let matches = history::matches(reader, &any, &all);
    let models = history::models(reader, None, None, &all);
    let changes = history::changes(reader, 0, 250);
    (
        matches.await.unwrap().items,
        models.await.unwrap().items,
        history::tournament(reader, TOURNAMENT).await.unwrap(),
        changes.await.unwrap().len(),
    )
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn a_copy_goes_to_a_server_and_back_whole_and_each_goes_on() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [from, server, back] = [0, 1, 2].map(|at| {
        let settings = settings(folders[at].path());
        let file = database_file(folders[at].path());
        match at {
            1 => settings,
            _ => Settings {
                location: file.into(),
                ..settings
            },
        }
    });
    let store = Store::open(&from).await.unwrap();
    let pens = played(&store).await;
    history::create_tournament(&store, new_tournament(TOURNAMENT))
        .await
        .unwrap();
    history::add_round(&store, TOURNAMENT, round(1))
        .await
        .unwrap();
    let slotted = MatchResult {
        slot: Some(Box::new(slot(1, 0))),
        ..MatchResult::new(9, Cause::Normal, vec![1, 0])
    };
    let mut row = new_match(9, true);
    slot(1, 0).seat(&mut row);
    store.open_match(row).await.unwrap();
    store.close_match(&match_id(9), slotted).await.unwrap();
    store
        .rename_seat(&match_id(1), 1, Some("alice"))
        .await
        .unwrap();
    let mut late = Pen::player(&store, 5);
    late.write(&store, vec![received("ask")]).await;
    // One is packed before it is copied, the others stay in the log.
    crate::store::pack(&store, |_| {}).await.unwrap();
    late.end(&store, vec![1, 0, 0, 0], 1).await;
    let before = (read(&store).await, shown(&store).await);
    store.close().await;
    for (one, other) in [(&from, &server), (&server, &back)] {
        let mut rows = 0;
        let copied = copy(
            &one.location,
            &other.location,
            GameRules::all(),
            |_, count| rows += count,
        );
        copied.await.unwrap();
        assert!(rows > 100, "{rows}");
        let again = copy(&one.location, &other.location, GameRules::all(), |_, _| ()).await;
        assert!(
            matches!(again, Err(StoreError::NotEmpty { .. })),
            "{again:?}"
        );
    }
    let live = pens[3].id;
    for settings in [&server, &back] {
        let store = Store::open(settings).await.unwrap();
        assert_eq!((read(&store).await, shown(&store).await), before);
        assert_eq!(history::integrity(store.reader()).await, [""; 0]);
        let head = store
            .live()
            .await
            .unwrap()
            .into_iter()
            .find(|found| found.id == live)
            .unwrap();
        let mut append = Append::after(live, head.head, head.seq);
        append.entries.push(said("on"));
        let last = store.append(append).await.unwrap().last;
        assert!(last > head.head && last > late.previous, "{last:?}");
        let mut new = Pen::player(&store, 6);
        assert!(new.write(&store, vec![received("ask")]).await.last > last);
        assert!(new.id > late.id);
        store.close().await;
    }
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn json_with_the_character_0_is_read() {
    let (_folder, store) = opened().await;
    let data = r#"{"by":"W","bid":3,"note":"a\u0000b","list":["\u0000"]}"#;
    let sql = "SELECT $1 ->> 'by', json_extract($1, '$.bid'), (SELECT count(*) FROM json_each($1, '$.list'))";
    let row: (String, String, i64) = query_as(sql)
        .bind(data)
        .fetch_one(store.reader().pool())
        .await
        .unwrap();
    assert_eq!(row, ("W".to_owned(), "3".to_owned(), 1));
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn of_two_that_write_the_same_place_one_is_refused() {
    let (folder, store, mut pen) = asked().await;
    let other = open(folder.path()).await;
    let (one, two) = (pen.append(vec![said("1")]), pen.append(vec![said("2")]));
    let (one, two) = tokio::join!(store.append(one), other.append(two));
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    let refused = one.err().or(two.err()).unwrap();
    assert!(matches!(refused, StoreError::Fenced), "{refused}");
    let sql = "SELECT count(*) FROM entries WHERE session = $1";
    let count: i64 = query_as(sql)
        .bind(pen.id.0)
        .fetch_one(store.reader().pool())
        .await
        .unwrap();
    assert_eq!(count, 2);
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn a_resource_has_one_owner_until_its_lease_lapses_or_it_is_given_up() {
    let (_folder, store) = opened().await;
    let [one, two] = ["one", "two"].map(|id| store.leases(id, &format!("{id}:80")).unwrap());
    let hub = Resource::new(Kind::Hub, "pen");
    assert_eq!(one.claim(&hub, None).await, Err(CoordinationError::Lapsed));
    let (long, short) = (Duration::from_secs(60), Duration::from_millis(1));
    let first = one.renew(long).await.unwrap();
    assert_eq!(first.replicas, 1);
    assert_eq!(one.renew(long).await.unwrap(), first, "it has not lapsed");
    assert_eq!(two.renew(long).await.unwrap().replicas, 2);
    let Claim::Ours(epoch) = one.claim(&hub, None).await.unwrap() else {
        panic!("nobody had it");
    };
    assert_eq!(one.claim(&hub, None).await, Ok(Claim::Ours(epoch)));
    let Claim::Theirs(owner) = two.claim(&hub, None).await.unwrap() else {
        panic!("its owner is alive");
    };
    assert_eq!(
        (&*owner.replica, &*owner.address, owner.epoch),
        ("one", "one:80", epoch)
    );
    // It is claimed over, once; then its first owner's lease lapses, and the other one gives it up.
    let Claim::Ours(next) = two.claim(&hub, Some(epoch)).await.unwrap() else {
        panic!("it is claimed over");
    };
    assert!(next > epoch);
    assert!(matches!(
        one.claim(&hub, Some(epoch)).await,
        Ok(Claim::Theirs(_))
    ));
    two.renew(short).await.unwrap();
    query("SELECT pg_sleep(0.01)")
        .execute(store.reader().pool())
        .await
        .unwrap();
    let Claim::Ours(third) = one.claim(&hub, None).await.unwrap() else {
        panic!("its owner's lease has lapsed");
    };
    assert_eq!(two.claim(&hub, None).await, Err(CoordinationError::Lapsed));
    assert_eq!(one.renew(long).await.unwrap().replicas, 1);
    two.renew(long).await.unwrap();
    let [stale, held] = [next, third].map(|epoch| Holding {
        resource: hub.clone(),
        epoch,
    });
    one.release(&[stale]).await.unwrap();
    assert!(matches!(two.claim(&hub, None).await, Ok(Claim::Theirs(_))));
    one.release(&[held]).await.unwrap();
    assert!(matches!(two.claim(&hub, None).await, Ok(Claim::Ours(_))));
    two.leave().await.unwrap();
    assert!(matches!(one.claim(&hub, None).await, Ok(Claim::Ours(_))));
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn nobody_reads_beyond_what_may_still_be_committed() {
    let (_folder, store) = opened().await;
    let mut late = store.reader().pool().acquire().await.unwrap();
    late.begin().await.unwrap();
    for step in [
        "SELECT pg_advisory_xact_lock_shared(lock_of(last_value)) FROM numbers",
        "INSERT INTO changes (id, match_id) SELECT nextval('numbers') * 4096, 'late'",
    ] {
        query(step).execute(&mut late).await.unwrap();
    }
    let mut pen = Pen::player(&store, 1);
    pen.write(&store, vec![received("ask")]).await;
    let changes = async || history::changes(store.reader(), 0, 9).await.unwrap();
    assert!(changes().await.is_empty(), "an earlier one may come");
    let contents = history::contents(store.reader(), &match_id(1))
        .await
        .unwrap();
    let entries = history::entries(store.reader(), &contents).await.unwrap();
    assert!(entries.is_empty());
    late.commit().await.unwrap();
    let matches: Vec<String> = changes()
        .await
        .into_iter()
        .map(|change| change.match_id)
        .collect();
    assert_eq!(matches, ["late".to_owned(), match_id(1), match_id(1)]);
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn an_end_meets_an_entry_that_is_being_committed_in_its_place() {
    let (_folder, store, pen) = asked().await;
    let mut other = store.reader().pool().acquire().await.unwrap();
    other.begin().await.unwrap();
    let entry = "INSERT INTO entries (id, session, seq, at_us, direction, text) VALUES (1, $1, $2, 0, 0, '')";
    let entry = query(entry).bind(pen.id.0).bind(pen.seq as i64);
    entry.execute(&mut other).await.unwrap();
    let end = || Append {
        close: Some(Box::new(Close::new(1, Cause::Unterminated))),
        ..Append::after(pen.id, pen.previous, pen.seq)
    };
    let error = store.append(end()).await.unwrap_err();
    assert!(matches!(error, StoreError::Unwritable(_)), "{error}");
    other.commit().await.unwrap();
    let error = store.append(end()).await.unwrap_err();
    assert!(matches!(error, StoreError::Fenced), "{error}");
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn a_beginning_names_the_session_that_its_key_had_before() {
    let (folder, store) = opened().await;
    let other = open(folder.path()).await;
    let begin = |store: &Store, number, follows| {
        let mut append = Pen::player(store, number).append(vec![received("begin")]);
        let session = append.open.as_mut().unwrap();
        (session.market, session.player) = (7, 1);
        append.follows = Some(Follows(follows));
        append
    };
    let first = begin(&store, 1, None);
    let id = first.session;
    store.append(first).await.unwrap();
    let error = other.append(begin(&other, 2, None)).await.unwrap_err();
    assert!(matches!(error, StoreError::Fenced), "{error}");
    let second = begin(&other, 3, Some(id));
    other.append(second).await.unwrap();
    let error = store.append(begin(&store, 4, Some(id))).await.unwrap_err();
    assert!(matches!(error, StoreError::Fenced), "{error}");
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn those_who_follow_a_match_are_woken_by_what_another_process_writes() {
    let (folder, store, mut pen) = asked().await;
    let other = open(folder.path()).await;
    let mut bell = other.bells().match_bell(&match_id(1));
    let mut changes = other.bells().changes_bell();
    let within = Duration::from_secs(10);
    tokio::time::timeout(within, bell.changed())
        .await
        .unwrap()
        .unwrap();
    pen.write(&store, vec![said("pass")]).await;
    while bell
        .borrow_and_update()
        .heads
        .get(&pen.id)
        .map(|head| head.1)
        != Some(2)
    {
        tokio::time::timeout(within, bell.changed())
            .await
            .unwrap()
            .unwrap();
    }
    changes.mark_unchanged();
    Pen::player(&store, 2)
        .write(&store, vec![received("ask")])
        .await;
    tokio::time::timeout(within, changes.changed())
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
#[ignore = "needs a server: DROVER_TEST_SERVER"]
async fn what_replicas_have_left_that_are_gone_is_forgotten() {
    let (_folder, store) = opened().await;
    let names = ["a", "b"];
    let [gone, there] = names.map(|id| store.leases(id, "127.0.0.1:1").unwrap());
    for (name, leases) in names.iter().zip([&gone, &there]) {
        leases.renew(Duration::from_secs(60)).await.unwrap();
        let resource = Resource::new(Kind::Session, *name);
        leases.claim(&resource, None).await.unwrap();
    }
    gone.leave().await.unwrap();
    there.forget_lapsed().await.unwrap();
    let owners = query_as::<String>("SELECT name FROM owners").fetch_all(store.reader().pool());
    assert_eq!(owners.await.unwrap(), ["b"]);
}
