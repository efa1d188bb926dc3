//! Six games recorded at an independent arbiter, byte for byte from both sides, and its trick vectors.

use crate::KIT;
use crate::cards::{Card, Deck};
use crate::options::Conduct;
use crate::player::Player;
use crate::referee::{Referee, RefereeSetup};
use crate::rules::{Act, Ask, Event, Game, Planowanie, Setup, View};
use drover_game::Kit as _;
use drover_game::game::{Bot, Budget, Cause, Seat};
use drover_game::wire::{Dialogue as _, Next, Reply, Table as _};
use serde::Deserialize;
use std::time::Duration;

macro_rules! recorded {
    ($name:literal: $($seat:literal)*) => {
        (
            include_str!(concat!("../golden/", $name, "/record.json")),
            &[$(include_str!(concat!("../golden/", $name, "/seat", $seat, ".txt"))),*] as &[&str],
        )
    };
}

const GAMES: [(&str, &[&str]); 6] = [
    recorded!("odd_deck": 0 1),
    recorded!("two_players_small": 0 1),
    recorded!("three_players": 0 1 2),
    recorded!("tournament_1": 0 1 2 3),
    recorded!("tournament_2": 0 1 2 3),
    recorded!("tournament_3": 0 1 2 3),
];

#[derive(Deserialize)]
struct Record {
    values: String,
    suits: String,
    players: usize,
    game: Vec<(u8, u8)>,
    deals: Vec<RecordedDeal>,
    totals: Vec<i64>,
    pair_results: Vec<(u8, u8, u8)>,
}

#[derive(Deserialize)]
struct RecordedDeal {
    hands: Vec<Vec<String>>,
    declared: Vec<u8>,
    tricks: Vec<RecordedTrick>,
    points: Vec<i64>,
}

#[derive(Deserialize)]
struct RecordedTrick {
    leader: u8,
    cards: Vec<String>,
}

impl Record {
    fn read(text: &str) -> (Self, Setup) {
        let record: Self = serde_json::from_str(text).unwrap();
        let (values, suits) = (&record.values, &record.suits);
        let game = Game::with_deals(values, suits, record.players, &record.game).unwrap();
        let deck = game.deck().clone();
        let cards = |hand: &Vec<String>| hand.iter().map(|card| deck.read(card).unwrap()).collect();
        let hands = record
            .deals
            .iter()
            .map(|deal| deal.hands.iter().map(cards).collect());
        let setup = Setup::from_hands(game, hands.collect()).unwrap();
        (record, setup)
    }
}

/// One command of a transcript with its complete reply, blank line included.
struct Exchange<'a> {
    command: &'a str,
    reply: String,
}

fn exchanges(transcript: &str) -> Vec<Exchange<'_>> {
    let mut all: Vec<Exchange<'_>> = Vec::new();
    for line in transcript.lines() {
        match (line.strip_prefix("> "), line.strip_prefix("< ")) {
            (Some(command), _) => all.push(Exchange {
                command,
                reply: String::new(),
            }),
            (None, Some(reply)) => {
                let last = &mut all.last_mut().unwrap().reply;
                last.push_str(reply);
                last.push('\n');
            }
            (None, None) => panic!("{line:?}"),
        }
    }
    all
}

fn time_left(command: &str) -> Option<u64> {
    command
        .strip_prefix("time_left ")
        .map(|ms| ms.parse().unwrap())
}

#[test]
fn our_arbiter_says_what_the_recorded_one_said() {
    for (record, transcripts) in GAMES {
        let (record, position) = Record::read(record);
        let said: Vec<Vec<Exchange<'_>>> = transcripts.iter().map(|text| exchanges(text)).collect();
        let mut table = Referee::new(RefereeSetup {
            position,
            conduct: Conduct::default(),
        });
        let mut at = vec![0; said.len()];
        let mut left: Vec<u64> = vec![Conduct::default().time_ms; said.len()];
        let mut calls = Vec::new();
        let mut deals = 0;
        while table.outcome().is_none() {
            table.calls(&mut calls);
            let call = calls.pop().unwrap();
            assert!(calls.is_empty(), "one command is out at a time");
            let seat = call.seat.index();
            let exchange = &said[seat][at[seat]];
            assert_eq!(
                call.text, exchange.command,
                "seat {seat}, command {}",
                at[seat]
            );
            at[seat] += 1;
            // The recorded clock: the next `time_left` of this seat.
            if let Some(next) = said[seat]
                .get(at[seat])
                .and_then(|next| time_left(next.command))
            {
                table.spent(call.seat, Duration::from_millis(left[seat] - next));
                left[seat] = next;
            }
            for line in exchange.reply.lines() {
                assert!(table.waits(call.seat));
                table.answer(call.seat, Reply::Text(line.as_bytes()));
            }
            assert!(!table.waits(call.seat), "{:?}", exchange.reply);
            if table.game().deal() > deals {
                deals = table.game().deal();
                let points: i64 = record.deals[..deals]
                    .iter()
                    .map(|deal| deal.points[0])
                    .sum();
                assert_eq!(table.game().points()[Seat(0)], points);
            }
        }
        let ends: Vec<usize> = said.iter().map(Vec::len).collect();
        assert_eq!(at, ends, "every recorded command was said");
        let outcome = table.outcome().unwrap();
        assert_eq!(outcome.cause, Cause::Normal);
        assert_eq!(outcome.scores.values(), record.totals);
        let duels = (KIT.card().duels)(&outcome);
        let pairs: Vec<(u8, u8, u8)> = duels
            .iter()
            .map(|duel| (duel.first.0, duel.second.0, (duel.share * 2.0) as u8))
            .collect();
        assert_eq!(pairs, record.pair_results);
    }
}

/// Replies as recorded.
#[derive(Clone)]
struct Reader {
    declared: Vec<u8>,
    cards: Vec<Card>,
    received: usize,
}

impl Bot<Planowanie> for Reader {
    fn observe(&mut self, _: &Event) {
        self.received += 1;
    }

    fn decide(&mut self, view: &View, ask: &Ask, _: Budget<'_>) -> Act {
        assert!(self.received > view.round.played().len());
        match ask {
            Ask::Declare => Act::Declare(self.declared.remove(0)),
            Ask::Play => Act::Play(self.cards.remove(0)),
        }
    }
}

#[test]
fn our_player_says_what_the_recorded_one_said() {
    for (text, transcripts) in GAMES {
        let (record, setup) = Record::read(text);
        let deck = setup.game().deck();
        for (seat, transcript) in transcripts.iter().enumerate() {
            let laid = |trick: &RecordedTrick| {
                let place = (seat + record.players - usize::from(trick.leader)) % record.players;
                deck.read(&trick.cards[place]).unwrap()
            };
            let mut player = Player::new(Box::new(Reader {
                declared: record
                    .deals
                    .iter()
                    .map(|deal| deal.declared[seat])
                    .collect(),
                cards: record
                    .deals
                    .iter()
                    .flat_map(|deal| &deal.tricks)
                    .map(laid)
                    .collect(),
                received: 0,
            }));
            let all = exchanges(transcript);
            for (number, exchange) in all.iter().enumerate() {
                let frame = match player.receive(exchange.command.as_bytes()).unwrap() {
                    Next::Send(frame) => frame,
                    Next::Think {
                        limit,
                        mut fallback,
                        ..
                    } => {
                        assert!(!limit.is_zero());
                        player.think(Budget::nodes(1), &mut fallback);
                        fallback
                    }
                    Next::Over(ending) => {
                        assert_eq!(number + 1, all.len());
                        let mut totals = record.totals.clone();
                        totals.rotate_left(seat);
                        assert_eq!(ending.scores, totals);
                        ending.last_word
                    }
                    Next::Wait => panic!("{:?} gets a reply", exchange.command),
                };
                player.said(&frame);
                assert_eq!(
                    frame.clone() + "\n",
                    exchange.reply,
                    "{:?}",
                    exchange.command
                );
            }
            assert_eq!(player.facts().len(), record.deals.len() + 2);
            assert_eq!(player.lessons().len(), record.players - 1);
        }
    }
}

#[test]
fn trick_vectors() {
    let vectors = include_str!("../golden/trick_vectors.tsv");
    let mut count = 0;
    for line in vectors.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [values, suits, cards, winner] = fields[..] else {
            panic!("{line:?}")
        };
        let deck = Deck::new(values, suits).unwrap();
        let cards: Vec<Card> = cards
            .split(' ')
            .map(|card| deck.read(card).unwrap())
            .collect();
        assert_eq!(deck.winner(&cards), Some(winner.parse().unwrap()), "{line}");
        count += 1;
    }
    assert_eq!(count, 400);
}
