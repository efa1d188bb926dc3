//! Matches that somebody else referees: seats, names, results.

use super::world::{World, key, key_at, options};
use crate::history::{self, Filter, OpponentKind, PageAt, Standing};
use crate::identities::Names;
use crate::replay::Naming;
use crate::session::Key;

fn page() -> PageAt {
    PageAt::first(10)
}

#[tokio::test]
async fn seats_count_from_our_first_session_and_can_be_named_and_asked_for() {
    let world = World::new(options()).await;
    let (first, second) = (key(1, 1), key_at("quick", "r", 1, 2));
    for at in [&first, &second] {
        world.say(at, "begin").await;
    }
    world.say(&first, "bluff").await;
    let store = world.store();
    let match_id = world.sessions.list(1).pop().unwrap().match_id;
    store
        .rename_seat(&match_id, 1, Some("alice"))
        .await
        .unwrap();
    // The one that does not know its seat ends first: the result waits for the other.
    world.say(&second, "end&4,3,2,1").await;
    world.say(&first, "end&4,3,2,1").await;
    let sessions = history::sessions_of(store.reader(), &match_id)
        .await
        .unwrap();
    let seats: Vec<_> = sessions.iter().map(|row| row.opened.seat).collect();
    assert_eq!(seats, [Some(0), None]);
    let row = history::match_row(store.reader(), &match_id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.scores, [4, 3, 2, 1]);
    let count = async |filter: Filter| {
        history::sessions(store.reader(), &filter, &page())
            .await
            .unwrap()
            .items
            .len()
    };
    let outcome = |outcome| Filter {
        outcome: Some(outcome),
        ..Filter::default()
    };
    assert_eq!(count(outcome(Standing::Won)).await, 2);
    assert_eq!(count(outcome(Standing::Lost)).await, 0);
    assert_eq!(count(outcome(Standing::Tied)).await, 0);
    store
        .alter("UPDATE sessions SET scores = '[4,4,1,1]' WHERE seat IS NULL")
        .await;
    assert_eq!(count(outcome(Standing::Tied)).await, 1);
    let tied = history::matches(store.reader(), &outcome(Standing::Tied), &page()).await;
    assert_eq!(tied.unwrap().items.len(), 1, "found though no seat tied");
    store
        .alter("UPDATE sessions SET scores = '[1,4,4,1]' WHERE seat IS NULL")
        .await;
    assert_eq!(count(outcome(Standing::Lost)).await, 1);
    let alice = Filter {
        opponent: Some("alice".into()),
        ..Filter::default()
    };
    assert_eq!(
        history::matches(store.reader(), &alice, &page())
            .await
            .unwrap()
            .items
            .len(),
        1
    );
    let bluffs = history::bluffs(store.reader(), &alice, &page())
        .await
        .unwrap()
        .items;
    assert_eq!(bluffs.len(), 1);
    assert_eq!(bluffs.first().unwrap().seat, Some(1));
    let known = history::models(store.reader(), None, Some(OpponentKind::Named), &page()).await;
    let names = known.unwrap().items.into_iter().map(|model| model.name);
    assert!(!names.collect::<Vec<_>>().contains(&"bob".to_owned()));
}

#[tokio::test]
async fn an_end_again_after_a_restart_opens_nothing() {
    let (world, at) = World::begun(options()).await;
    world.say(&at, "end").await;
    let world = world.restart().await;
    // The second is known to nobody: it may have ended long ago.
    let unknown = key(7, 1);
    for at in [&at, &unknown] {
        assert_eq!(world.say(at, "end").await, "");
    }
    assert_eq!(world.sessions.live(), 0);
    let (all, page) = (Filter::default(), page());
    let stored = history::sessions(world.store().reader(), &all, &page)
        .await
        .unwrap();
    assert_eq!(stored.items.len(), 1);
    assert_ne!(
        world.say(&unknown, "ask").await,
        "",
        "a match may be joined late"
    );
}

/// Names of rivals at a referee that is not ours.
pub(super) fn names(market: u64, player: Option<u64>, rivals: &[(u8, &str)]) -> Names {
    Names {
        game: "toy".into(),
        referee: "r".into(),
        market,
        player,
        rivals: rivals
            .iter()
            .map(|(place, name)| (*place, (*name).to_owned()))
            .collect(),
    }
}

/// What a dialogue says to a message.
fn says(dialogue: &mut dyn games::Dialogue, rest: &str) -> String {
    let frame = format!("market=1&id=1&type={rest}");
    let Ok(games::Next::Think { mut fallback, .. }) = dialogue.receive(frame.as_bytes()) else {
        return String::new();
    };
    dialogue.think(games::Budget::nodes(1), &mut fallback);
    dialogue.said(&fallback);
    fallback
}

#[tokio::test]
async fn names_given_during_a_match_advise_it_and_what_it_teaches_is_theirs() {
    let mut world = World::new(options()).await;
    let alice =
        "INSERT INTO opponent_models (game, kind, name, model, version, updated_us, last_match)
        VALUES ('toy', 'named', 'alice', '{\"bluffs\":7}', 1, 1, 'M')";
    world.store().alter(alice).await;
    let at = key_at("champion", "r", 1, 1);
    world.say(&at, "begin").await;
    let lost = world.send(&at, "ask").await.unwrap();
    let before = String::from_utf8(lost.text.to_vec()).unwrap();
    drop(lost);
    let given = names(1, None, &[(1, "alice"), (2, "bob")]);
    let taken = world.sessions.name(given.clone()).await.unwrap().unwrap();
    assert!(taken.seats_named);
    let entries = world.only().await.entries;
    // What stands is no entry again, and what a session took in is for no other one.
    assert_eq!(world.sessions.name(given).await.unwrap(), Some(taken));
    assert_eq!(world.only().await.entries, entries);
    let kept = world.parts.identities.rivals(at.player(), true);
    assert_eq!(kept, []);
    assert_eq!(world.say(&at, "ask").await, before, "asked again");
    let after = world.bot_answers(&at, "ask&x=2").await;
    let mut twin = world.opened_twin().await;
    world = world.restart().await;
    let last = world.bot_answers(&at, "ask&x=3").await;
    // They are entries of the transcript: a dialogue that was never put away goes on alike.
    let model = serde_json::json!({"bluffs": 7});
    says(&mut *twin, "begin");
    assert_eq!(says(&mut *twin, "ask"), before);
    twin.named("W", "alice", Some(&model));
    twin.named("N", "bob", None);
    assert_eq!(says(&mut *twin, "ask&x=2"), after);
    assert_eq!(says(&mut *twin, "ask&x=3"), last);
    let texts = world
        .transcript(&at)
        .await
        .into_iter()
        .map(|(_, text)| text);
    let given: Vec<Naming> = texts.filter_map(|text| Naming::decode(&text)).collect();
    let naming = |rival: &str, name: &str, model| Naming {
        rival: rival.to_owned(),
        name: name.to_owned(),
        model,
    };
    assert_eq!(
        given,
        [naming("W", "alice", Some(model)), naming("N", "bob", None)]
    );
    assert_eq!(Naming::shown(given[0].encode()), "\u{1}named W=alice");
    let mut differences = Vec::new();
    let each = |checked: &crate::replay::Checked| differences.extend(checked.differences.clone());
    let summary = crate::replay::verify(world.store(), None, each)
        .await
        .unwrap();
    assert!(summary.clean(), "{differences:?}");
    // Each is a fact, once, and the seats are theirs: what the match teaches counts for them.
    let view = world.only().await;
    assert_eq!(view.id, taken.session);
    let facts = history::facts(world.store().reader(), &view.match_id)
        .await
        .unwrap();
    let who = facts.iter().filter(|fact| fact.kind == "who").count();
    assert_eq!(who, 2, "{facts:?}");
    let row = history::match_row(world.store().reader(), &view.match_id)
        .await
        .unwrap()
        .unwrap();
    let seats: Vec<_> = row.seats.iter().map(|seat| seat.name.as_deref()).collect();
    assert_eq!(seats, [None, Some("alice"), Some("bob"), None]);
}

#[tokio::test]
async fn names_given_before_a_match_are_its_rivals() {
    let world = World::new(options()).await;
    for given in [
        names(1, None, &[(3, "eve")]),
        names(2, Some(9), &[(1, "dan")]),
    ] {
        assert_eq!(
            world.sessions.name(given).await.unwrap(),
            None,
            "nobody plays yet"
        );
    }
    let seats = async |at| {
        world.say(&at, "begin").await;
        let views = world.sessions.list(9).into_iter();
        let mut here = views.filter(|view| (view.market, view.player) == (at.market, at.id));
        let id = here.next().unwrap().match_id;
        let row = history::match_row(world.store().reader(), &id)
            .await
            .unwrap()
            .unwrap();
        row.seats
            .into_iter()
            .map(|seat| seat.name)
            .collect::<Vec<_>>()
    };
    let name = |name: &str| Some(name.to_owned());
    assert_eq!(seats(key(1, 1)).await, [None, None, None, name("eve")]);
    assert_eq!(
        seats(key(2, 8)).await,
        [None, None, None, None],
        "not of this player"
    );
    assert_eq!(seats(key(3, 1)).await, [None, None, None, None]);
    // Two of our players see W differently.
    world.say(&key(1, 2), "begin").await;
    let refused = world
        .sessions
        .name(names(1, None, &[(1, "x")]))
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("say from whose seat"),
        "{refused}"
    );
    let given = async |player, rivals: &[(u8, &str)]| {
        let taken = world.sessions.name(names(1, Some(player), rivals)).await;
        taken.unwrap().unwrap()
    };
    assert!(given(1, &[(1, "fay")]).await.seats_named);
    // Nobody says on which seat our second player sits: its bot is advised, and no seat is named.
    assert!(!given(2, &[(1, "gil")]).await.seats_named);
    let fay = [None, name("fay"), None, name("eve")];
    let seats_now = async || {
        let views = world.sessions.list(9).into_iter();
        let mut here = views.filter(|view| (view.market, view.player) == (1, 1));
        let id = here.next().unwrap().match_id;
        let row = history::match_row(world.store().reader(), &id)
            .await
            .unwrap()
            .unwrap();
        let names = row.seats.into_iter().map(|seat| seat.name);
        names.collect::<Vec<_>>()
    };
    assert_eq!(seats_now().await, fay);
    // A name leaves the place where it was, and two may change places.
    given(1, &[(1, "eve"), (3, "fay")]).await;
    assert_eq!(seats_now().await, [None, name("eve"), None, name("fay")]);
    given(1, &[(2, "fay")]).await;
    assert_eq!(seats_now().await, [None, name("eve"), name("fay"), None]);
    // Those of a match that is over are forgotten.
    let kept = |at: Key| world.parts.identities.rivals(at.player(), true);
    assert_eq!(kept(key(1, 1)), [None, None, name("eve")]);
    world.say(&key(1, 1), "end").await;
    assert_eq!(kept(key(1, 1)), []);
    assert_eq!(kept(key(2, 9)), [name("dan")]);
}

/// No referee can pass off its message as a name.
#[tokio::test]
async fn a_forged_name_is_not_taken_in() {
    let (world, at) = World::begun(options()).await;
    let entries = world.only().await.entries;
    let forged = Naming {
        rival: "W".into(),
        name: "alice".into(),
        model: None,
    };
    let answered = world
        .sessions
        .callback(
            Default::default(),
            at.clone(),
            false,
            forged.encode(),
            tokio::time::Instant::now(),
        )
        .await;
    assert_eq!(answered.unwrap().text, "");
    assert_eq!(world.only().await.entries, entries);
}
