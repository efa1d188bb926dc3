//! What an unbroken dialogue, a woken one and verification find in a transcript is the same.

use super::world::dependencies;
use crate::history::{self, Filter, PageAt};
use crate::identities::KnownMatch;
use crate::replay::{self, Line, replay};
use crate::session::core::SessionState;
use crate::session::message::Local;
use crate::session::{BotAddress, Dependencies, Key, Numbered, SessionOptions, Sessions, fold};
use crate::store::Store;
use crate::store::tests::fake::named_match;
use crate::store::types::{LiveSession, MatchRow, NewSession};
use crate::toy;
use futures_util::future::join_all;
use games::seat::{OwnSeat, Settings};
use games::{Dialogue, DialogueSetup, Fact, Kit, PlaySetup, Wire};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What a bot received, and what it answered.
type Exchange = (String, String);

const FIND: fn(&str) -> Option<&'static dyn Kit> =
    |game| games::find(game).or_else(|| toy::find(game));

async fn open(folder: &Path) -> (Sessions, Dependencies) {
    let parts = dependencies(folder, FIND).await;
    let options = SessionOptions::default();
    let sessions = Sessions::open(options, parts.clone()).await.unwrap();
    (sessions, parts)
}

/// Has a session receive and say a part of a transcript, of which `from` exchanges are stored.
async fn feed(sessions: &Sessions, key: &Key, from: usize, exchanges: &[Exchange]) {
    for (number, (text, said)) in (1..).zip(exchanges).skip(from) {
        let (at_us, said) = (1, said.clone());
        let local = Some(Local { at_us, said });
        let numbered = Numbered { number, local };
        let sent = sessions.numbered(key.clone(), numbered, text.clone(), Instant::now());
        sent.await.unwrap();
    }
}

/// What a dialogue shows and has taught.
fn known(dialogue: &dyn Dialogue) -> (Value, Vec<Value>) {
    let lessons = dialogue.lessons().into_iter();
    let lessons = lessons.map(|lesson| json!([lesson.rival, lesson.kind, lesson.evidence]));
    (dialogue.view(), lessons.collect())
}

/// The dialogue that was never put away, with the facts that it gave.
fn unbroken(kit: &dyn Kit, setup: &DialogueSetup, exchanges: &[Exchange]) -> Unbroken {
    let mut dialogue = kit.dialogue(setup).unwrap();
    let mut facts = Vec::new();
    for (text, said) in exchanges {
        let next = dialogue.receive(text.as_bytes());
        if let Ok(games::Next::Think { .. } | games::Next::Send(_)) = next {
            dialogue.said(said);
        }
        facts.append(&mut dialogue.facts());
    }
    (dialogue, facts)
}

type Unbroken = (Box<dyn Dialogue>, Vec<Fact>);

async fn only_session(store: &Store) -> LiveSession {
    let (all, page) = (Filter::default(), PageAt::first(2));
    let mut sessions = history::sessions(store.reader(), &all, &page)
        .await
        .unwrap()
        .items;
    let row = sessions.pop().unwrap();
    assert_eq!(sessions.len(), 0);
    let (head, seq) = history::head(store.reader(), &row).await.unwrap().unwrap();
    LiveSession {
        id: row.id,
        opened: row.opened,
        head: Some(head),
        seq,
        last_us: 1,
    }
}

async fn woken(parts: &Dependencies, bot: &BotAddress, live: LiveSession) -> Box<dyn Dialogue> {
    let own = OwnSeat::new(Settings::nodes(0), None);
    let mut core = SessionState::found(live, None, own);
    let soon = Instant::now() + Duration::from_secs(60);
    fold::wake(parts, bot, &mut core, soon).await.unwrap();
    core.own.into_dialogue().expect("it is awake")
}

async fn verified(store: &Store, kit: &dyn Kit, live: &LiveSession) -> Unbroken {
    let NewSession {
        bot, seed, setup, ..
    } = &live.opened;
    let setup = replay::dialogue_setup(store, kit, bot, *seed, setup).await;
    let mut dialogue = kit.dialogue(&setup.unwrap()).unwrap();
    let entries = history::transcript(store.reader(), live.id, live.head.unwrap())
        .await
        .unwrap();
    let replayed = replay(&mut *dialogue, entries.iter().map(Line::from));
    assert_eq!(replayed.differences, Vec::<String>::new());
    let facts = replayed.facts.into_iter().map(|(_, fact)| fact);
    (dialogue, facts.collect())
}

/// A transcript in two lives of the daemon, with other models in the second one.
async fn agree(kit: &'static dyn Kit, bot: &str, exchanges: &[Exchange], what: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (sessions, parts) = open(folder.path()).await;
    let learn = "INSERT INTO opponent_models (game, kind, name, model, version, updated_us, last_match)
        SELECT value ->> 0, value ->> 1, value ->> 2, '{\"bluffs\":1}', 1, 1, 'M' FROM json_each('ROWS')";
    let game = kit.card().name;
    let rows = json!([
        [game, "type", "guide"],
        [game, "named", "bob"],
        [game, "named", "eve"]
    ]);
    let learn = learn.replace("ROWS", &rows.to_string());
    parts.store.database().unwrap().alter(&learn).await;
    let bot = Arc::new(BotAddress::new(kit, bot, "r").unwrap());
    let (market, id) = (1, 1);
    let key = Key { bot, market, id };
    let bob = |seat| (seat == 2).then(|| "bob".to_owned());
    let row = MatchRow {
        game: game.to_owned(),
        ours: false,
        ..named_match("01AAAAAAAAAAAAAAAAAAAAAAAA", market, bob)
    };
    let known_match = KnownMatch {
        row: Arc::new(row),
        ids: vec![1, 2, 3, 4],
    };
    parts.identities.register("r", market, known_match);
    // A hub's game ends with the daemon.
    let half = match kit.card().wire {
        Wire::Hub => exchanges.len(),
        Wire::Callbacks | Wire::Stdio => exchanges.len() / 2,
    };
    feed(&sessions, &key, 0, &exchanges[..half]).await;
    sessions.close().await;
    let change = "UPDATE opponent_models SET model = '{\"bluffs\":9}', version = version + 1";
    parts.store.database().unwrap().alter(change).await;
    parts.store.close().await;

    let (sessions, parts) = open(folder.path()).await;
    feed(&sessions, &key, half, exchanges).await;
    sessions.close().await;
    let live = only_session(parts.store.database().unwrap()).await;
    let thinks = key.bot.card().unwrap().thinks && kit.card().advised;
    let model = |name: &str| thinks.then(|| (name.to_owned(), json!({"bluffs": 1})));
    let setup = DialogueSetup {
        bot: key.bot.name().to_owned(),
        seed: live.opened.seed,
        models: true,
        rivals: model("N").into_iter().collect(),
        types: model("guide").into_iter().collect(),
        ..DialogueSetup::default()
    };
    let (unbroken, facts) = unbroken(kit, &setup, exchanges);
    let (verified, verified_facts) = verified(parts.store.database().unwrap(), kit, &live).await;
    let match_id = live.opened.match_id.clone();
    let woken = woken(&parts, &key.bot, live).await;
    assert_eq!(known(&*woken), known(&*unbroken), "{what}: woken");
    assert_eq!(known(&*verified), known(&*unbroken), "{what}: verified");
    assert_eq!(verified_facts, facts, "{what}");
    let stored = history::facts(parts.store.database().unwrap().reader(), &match_id)
        .await
        .unwrap()
        .into_iter();
    let stored = stored.filter(|fact| fact.kind != "local");
    let stored: Vec<Fact> = stored
        .map(|fact| Fact {
            kind: fact.kind,
            data: fact.data,
        })
        .collect();
    assert_eq!(stored, facts, "{what}: stored");
    let mut differences = Vec::new();
    let each = |checked: &replay::Checked| differences.extend(checked.differences.clone());
    let summary = crate::replay::verify(parts.store.database().unwrap(), None, each)
        .await
        .unwrap();
    assert!(summary.clean(), "{what}: {differences:?}");
    parts.store.close().await;
}

#[tokio::test]
async fn a_session_is_advised_by_the_models_that_it_began_with() {
    let rest = ["begin", "bluff E 50", "ask", "info&x=1", "bluff", "ask&x=2"];
    let answer = |rest: &str| if rest.starts_with("ask") { "?n=1" } else { "" };
    let exchange = |rest: &&str| {
        (
            format!("market=1&id=1&type={rest}"),
            answer(rest).to_owned(),
        )
    };
    let exchanges: Vec<Exchange> = rest.iter().map(exchange).collect();
    agree(toy::kit(), "champion", &exchanges, "toy").await;
}

/// Of a long match the first part is enough: it has been put away and woken in the middle of it.
const EXCHANGES_MAX: usize = 150;

/// What each seat of a match of built-in bots received and answered: at most [`EXCHANGES_MAX`], and never the last message.
fn played(kit: &dyn Kit) -> Vec<Vec<Exchange>> {
    let seats = (*kit.card().seats.end()).min(4);
    let mut bots = kit.card().bots.iter().filter(|card| !card.thinks);
    let bot = bots.next_back().unwrap().name.to_owned();
    let setup = PlaySetup::recorded(vec![bot; seats], 5, Value::Null);
    let played = kit.play(&setup, &games::Nodes(100)).unwrap();
    let mut exchanges = vec![Vec::new(); seats];
    for exchange in played.transcript {
        let said = exchange.reply.unwrap_or_default();
        exchanges[exchange.seat.index()].push((exchange.call, said));
    }
    for of_seat in &mut exchanges {
        of_seat.pop();
        of_seat.truncate(EXCHANGES_MAX);
    }
    exchanges
}

#[tokio::test]
async fn matches_of_every_game_wake_and_verify_alike() {
    for kit in games::ALL {
        let bot = kit.card().bots.last().unwrap().name;
        let seats = played(*kit);
        let seats = seats
            .iter()
            .enumerate()
            .map(|(seat, exchanges)| async move {
                agree(
                    *kit,
                    bot,
                    exchanges,
                    &format!("{} seat {seat}", kit.card().name),
                )
                .await;
            });
        join_all(seats).await;
    }
}

#[tokio::test]
async fn what_an_overruled_answer_said_is_no_difference() {
    let kit = games::find("planetwars").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (sessions, parts) = open(folder.path()).await;
    let bot = Arc::new(BotAddress::new(kit, "bully", "r").unwrap());
    let key = Key {
        bot,
        market: 1,
        id: 1,
    };
    let exchanges = &played(kit)[0];
    let mut overruled = 0;
    for (number, (text, said)) in (1..).zip(exchanges) {
        let mut sent = String::new();
        for local in [None, Some(said.clone())] {
            let local = local.filter(|said| *said != sent);
            let again = local.is_some();
            let local = local.map(|said| Local { at_us: 1, said });
            let numbered = Numbered { number, local };
            let answer = sessions.numbered(key.clone(), numbered, text.clone(), Instant::now());
            sent = String::from_utf8(answer.await.unwrap().text.to_vec()).unwrap();
            overruled += u32::from(again);
        }
    }
    sessions.close().await;
    assert!(overruled > 10, "{overruled}");
    let live = only_session(parts.store.database().unwrap()).await;
    let stored = history::facts(
        parts.store.database().unwrap().reader(),
        &live.opened.match_id,
    )
    .await
    .unwrap();
    let of_answers = stored.iter().filter(|fact| fact.kind == "launch").count();
    assert!(of_answers > 10, "{of_answers}");
    let mut differences = Vec::new();
    let each = |checked: &replay::Checked| differences.extend(checked.differences.clone());
    let summary = crate::replay::verify(parts.store.database().unwrap(), None, each)
        .await
        .unwrap();
    assert!(summary.clean(), "{differences:?}");
    parts.store.close().await;
}

/// Reads the seats' transcripts out of a file.
type Reader = fn(&str) -> Vec<Vec<Exchange>>;

/// The golden transcripts of this folder's files: what `read` makes of each.
fn goldens(folder: &str, read: Reader) -> Vec<Vec<Exchange>> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "txt") {
                found.extend(read(&std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty());
    found
}

/// `SEAT QUERY <- REPLY` a line.
fn koehandel(text: &str) -> Vec<Vec<Exchange>> {
    let seat = |seat: &str| {
        let rows = text
            .lines()
            .filter_map(|line| line.strip_prefix(seat)?.strip_prefix(' '));
        let rows = rows.map(|row| row.split_once("<-").unwrap_or((row, "")));
        let row = |(query, reply): (&str, &str)| {
            (
                format!("market=1&id=1&{}", query.trim()),
                reply.trim().to_owned(),
            )
        };
        rows.map(row).collect()
    };
    ["S", "W", "N", "E"].map(seat).to_vec()
}

/// `> COMMAND` and the lines of its reply, `< LINE`.
fn planowanie(text: &str) -> Vec<Vec<Exchange>> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("> ") {
            Some(command) => exchanges.push((command.to_owned(), String::new())),
            None => {
                let (_, reply) = exchanges.last_mut().unwrap();
                reply.push_str(line.strip_prefix("< ").unwrap());
                reply.push('\n');
            }
        }
    }
    for (_, reply) in &mut exchanges {
        reply.pop();
    }
    vec![exchanges]
}

/// A player's bytes at the hub, `MS < b'RECEIVED'` or `MS > b'SENT'`, from the start of its game.
fn smartdog(text: &str) -> Vec<Vec<Exchange>> {
    let kit = games::find("smartdog").unwrap();
    let mut exchanges: Vec<Exchange> = Vec::new();
    let (mut received, mut frame) = (String::new(), Vec::new());
    for record in text.lines() {
        let mut parts = record.trim_start().splitn(3, ' ').skip(1);
        let (side, bytes) = (parts.next(), parts.next().unwrap_or_default());
        let bytes = bytes
            .strip_prefix("b'")
            .and_then(|bytes| bytes.strip_suffix('\''));
        let bytes = bytes.unwrap_or_default().replace("\\n", "\n");
        if side == Some(">") {
            if let Some((_, said)) = exchanges.last_mut() {
                *said += &bytes;
            }
            continue;
        }
        received += if side == Some("<") { &bytes } else { "" };
        while let Some((line, rest)) = received.split_once('\n') {
            if !exchanges.is_empty() || !frame.is_empty() || line.starts_with("start") {
                frame.push(line.to_owned());
            }
            if !frame.is_empty() && kit.card().dialect.completes(line.as_bytes()) {
                exchanges.push((std::mem::take(&mut frame).join("\n"), String::new()));
            }
            received = rest.to_owned();
        }
    }
    for (_, said) in &mut exchanges {
        said.truncate(said.trim_end().len());
    }
    exchanges.pop();
    vec![exchanges]
}

#[tokio::test]
async fn golden_transcripts_wake_and_verify_alike() {
    let readers: [(&str, Reader); 3] = [
        ("koehandel", koehandel),
        ("planowanie", planowanie),
        ("smartdog", smartdog),
    ];
    for (game, read) in readers {
        let kit = games::find(game).unwrap();
        let bot = kit.card().bots.last().unwrap().name;
        let goldens = goldens(&format!("src/games/{game}/golden"), read);
        let goldens = goldens
            .iter()
            .enumerate()
            .map(|(at, exchanges)| async move {
                agree(kit, bot, exchanges, &format!("{game} {at}")).await;
            });
        join_all(goldens).await;
    }
}
