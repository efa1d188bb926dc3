//! Matches that stand still while they are looked at, and what nobody but a seat may know of them.

use crate::app::{Answer, PATIENCE, Piped, TestApp, block_on, connected, request, shim, stored};
use drover::history;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How often the foreign player answers before the match is looked at again.
const STEP: usize = 5;
/// Facts that each of our two bots must have learnt before the match is read.
const FACTS_MIN: usize = 5;
/// Numbers with fewer digits are found by chance.
const DIGITS_MIN: usize = 6;
/// In the path of a player of another.
pub const PATH: &str = "s3cret-of-ann";
/// In our path.
pub const OUR_PATH: &str = "s3cret-of-ours";
/// A deck whose cards stand nowhere else, and the hands of two seats.
const DECK: &str = "set_deck αβγδεζηθ ЖЦЩЮ";
const HANDS: [[&str; 4]; 2] = [["αЖ", "βЖ", "γЦ", "δЩ"], ["εЖ", "ζЦ", "ηЩ", "θЮ"]];

/// What a caller sends with each request.
pub type Headers = Vec<String>;

pub fn get(app: &TestApp, path: &str, headers: &Headers) -> Answer {
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    request(app.api, "GET", path, &headers, "")
}

/// A foreign player who says nothing, and nothing at all until it may: the match stands still.
pub struct SlowPlayer {
    pub address: SocketAddr,
    /// Lets it answer once; without it, it always may.
    permits: Option<Sender<()>>,
    answers: Receiver<()>,
}

impl SlowPlayer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (permits, permitted) = channel();
        let (answered, answers) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = Vec::new();
                let mut part = [0; 1024];
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut part) {
                        Ok(0) | Err(_) => break,
                        Ok(length) => head.extend_from_slice(&part[..length]),
                    }
                }
                // Without permits it always may, and without an owner nobody counts.
                let _ = (permitted.recv(), answered.send(()));
                // The referee may have given up waiting.
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
            }
        });
        Self {
            address,
            permits: Some(permits),
            answers,
        }
    }

    /// Lets it answer n times; gives whether it has been asked that often.
    pub fn answer(&self, times: usize) -> bool {
        let permits = self.permits.as_ref().unwrap();
        (0..times).for_each(|_| permits.send(()).unwrap());
        let patience = Duration::from_secs(2);
        (0..times).all(|_| self.answers.recv_timeout(patience).is_ok())
    }

    /// It answers whenever it is asked.
    pub fn let_go(&mut self) {
        self.permits = None;
    }
}

/// A match of our champion and our guide, the slow player called ann, and a filler, that stands still with facts in
/// it.
pub fn koehandel(app: &TestApp, ann: &SlowPlayer, admin: &Headers) -> String {
    let begun = Instant::now();
    let (bots, address) = (app.callbacks, ann.address);
    let own = |bot: &str| format!("http://{bots}/{OUR_PATH}/koehandel/{bot}/drover");
    let query = format!(
        "/?connect&url1={}&url2={}&url3=http://{address}/{PATH}/&name3=ann",
        own("champion"),
        own("guide")
    );
    let (market, _) = connected(app.referee.unwrap(), &query);
    let rows = get(app, "/api/v1/matches?limit=250", admin).items();
    let row = rows.iter().find(|row| row["market"] == market).unwrap();
    let id = row["id"].as_str().unwrap().to_owned();
    while begun.elapsed() < PATIENCE && ann.answer(STEP) {
        let facts = get(app, &format!("/api/v1/matches/{id}/facts"), admin).items();
        let of = |seat: u64| facts.iter().filter(|fact| fact["seat"] == seat).count();
        if of(0) >= FACTS_MIN && of(1) >= FACTS_MIN {
            return id;
        }
    }
    panic!("no match with facts: {}", app.log());
}

/// A match of Planowanie whose arbiter the test is: our champion and our `rules` sit at it, each over a shim, and
/// neither knows yet what the other has declared.
pub struct Arbiter {
    seats: [Piped; 2],
    declared: [String; 2],
}

impl Arbiter {
    pub fn start(folder: &Path) -> Self {
        let socket = folder.join("drover.sock");
        let mut seats = ["champion", "rules"].map(|bot| shim("planowanie", bot, &socket));
        for (seat, shim) in seats.iter_mut().enumerate() {
            let cards = format!("set_cards 4 {}", HANDS[seat].join(" "));
            let players = format!("set_players 2 {seat}");
            for line in [DECK, &players, "set_game 1 4 0", &cards, "time_left 60000"] {
                assert_eq!(shim.ask(line), "=");
            }
        }
        let declared = seats.each_mut().map(|shim| shim.ask("gen_declare"));
        Self { seats, declared }
    }

    /// Plays the first trick and ends the game.
    pub fn go_on(mut self) {
        for by in 0..2 {
            let tricks = self.declared[by].trim_start_matches("= ").to_owned();
            for shim in &mut self.seats {
                assert_eq!(shim.ask(&format!("declare {by} {tricks}")), "=");
            }
        }
        for by in 0..2 {
            let card = self.seats[by].ask("gen_move");
            let card = card.trim_start_matches("= ").to_owned();
            for shim in &mut self.seats {
                assert_eq!(shim.ask(&format!("play {by} {card}")), "=");
            }
        }
        for mut shim in self.seats {
            shim.ask("quit");
            assert_eq!(shim.close(), Some(0));
        }
    }
}

/// A session of a live match, with what only it knows.
#[derive(Debug)]
pub struct Seated {
    pub game: String,
    pub side: String,
    pub bot: String,
    pub match_id: String,
    pub seat: u64,
    /// The numbers of its entries.
    pub entries: BTreeSet<i64>,
    /// Texts and numbers of its wire.
    pub secrets: BTreeSet<String>,
    /// What no caller but admins may read while it plays: the bot's seed, and what is to come.
    pub nobodys: BTreeSet<String>,
}

/// All sessions that play, as the database has them.
pub fn seated(folder: &Path) -> BTreeMap<i64, Seated> {
    block_on(async {
        let store = stored(folder).await;
        let mut all = BTreeMap::new();
        let page = drover::history::PageAt::first(250);
        let filter = drover::history::Filter::default();
        for row in history::matches(store.reader(), &filter, &page)
            .await
            .unwrap()
            .items
        {
            let row = history::match_row(store.reader(), &row.id)
                .await
                .unwrap()
                .unwrap();
            let contents = history::contents(store.reader(), &row.id).await.unwrap();
            let all_entries = history::entries(store.reader(), &contents).await.unwrap();
            for session in contents.sessions {
                let entries = all_entries.iter();
                let entries: Vec<_> = entries.filter(|of| of.session == session.id).collect();
                let opened = &session.opened;
                let long = |number: u64| {
                    let text = number.to_string();
                    (text.len() >= DIGITS_MIN).then_some(text)
                };
                // Short ones are said by everybody.
                let own = |text: &&str| text.contains("&id=") || text.starts_with("set_cards");
                let texts = entries.iter().map(|entry| entry.text.as_str());
                let numbers = [opened.market, opened.player].into_iter().filter_map(long);
                let deck = row.setup.get("deck").map(Value::to_string);
                let seated = Seated {
                    game: row.game.clone(),
                    side: serde_json::to_value(opened.side)
                        .unwrap()
                        .as_str()
                        .unwrap()
                        .to_owned(),
                    bot: opened.bot.to_string(),
                    match_id: row.id.clone(),
                    seat: opened.seat.unwrap_or_default().into(),
                    entries: entries.iter().map(|entry| entry.id.0).collect(),
                    secrets: texts
                        .filter(own)
                        .map(str::to_owned)
                        .chain(numbers)
                        .collect(),
                    nobodys: long(opened.seed).into_iter().chain(deck).collect(),
                };
                all.insert(session.id.0, seated);
            }
        }
        all
    })
}

/// The cards that only this seat of Planowanie holds.
pub fn hand(seat: u64) -> [&'static str; 4] {
    HANDS[usize::try_from(seat).unwrap()]
}

/// No step of a running match's replay shows more than the seat whose view it is knows: money of others, and what a
/// trade's other side offers; hands, and what is declared in secret. Everything is shown to those alone who see
/// every seat.
pub fn hides(replay: &Value, sees_all: bool) {
    let everything = replay["everything"] == true;
    assert!(
        replay["live"] == false || sees_all || !everything,
        "{replay}"
    );
    let live = replay["live"] == true && !everything;
    for step in replay["items"].as_array().unwrap() {
        let (state, known) = (&step["state"], |key: &str| {
            let players = step["state"]["players"].as_array().unwrap().iter();
            let known = players.map(|player| !player[key].is_null());
            known.collect::<Vec<bool>>()
        });
        if !live {
        } else if replay["game"] == "koehandel" {
            assert_eq!(known("money"), [true, false, false, false], "{step}");
            let trade = &state["trade"];
            let own = ["challenger", "target"]
                .iter()
                .position(|who| trade[who] == 0);
            if let Some(own) = own {
                let theirs = [&trade["counter"], &trade["offer"]][own];
                assert_eq!(theirs["money"], Value::Null, "{step}");
            }
        } else {
            let own = state["own"].as_u64().unwrap();
            for key in ["hand", "declared"] {
                assert!(!known(key)[1 - usize::try_from(own).unwrap()], "{step}");
            }
        }
    }
}
