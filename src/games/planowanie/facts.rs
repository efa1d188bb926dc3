//! What is kept of a game for history: one fact a deal, one for the result, and what each opponent's
//! declarations have taught.

use super::rules::{Game, Round};
use drover_game::counts::{Counts, counts, rivals};
use drover_game::game::{Seat, Seats};
use drover_game::sighting::Sighting;
use drover_game::stats::{Interval, rate};
use drover_game::wire::{Fact, Lesson};
use serde_json::{Value, json};

/// Letters of a reason that are said and kept: a reply's line is short.
pub(super) const WHY_MAX: usize = 160;

counts! {
    /// Counts over deals of one player.
    pub struct Record {
        /// Games.
        pub games: u64,
        /// Deals.
        pub deals: u64,
        /// Cards dealt to the player.
        pub cards: u64,
        /// Tricks declared.
        pub declared: u64,
        /// Tricks taken.
        pub taken: u64,
        /// Deals in which the player took what was declared.
        pub met: u64,
        /// Deals in which the player took more.
        pub over: u64,
        /// Deals in which the player took less.
        pub under: u64,
    }
}

impl Record {
    fn add(&mut self, cards: u8, declared: u8, taken: u8) {
        self.deals += 1;
        self.cards += u64::from(cards);
        self.declared += u64::from(declared);
        self.taken += u64::from(taken);
        self.met += u64::from(taken == declared);
        self.over += u64::from(taken > declared);
        self.under += u64::from(taken < declared);
    }
}

impl Counts for Record {
    /// As rates with their counts and 90 % credible intervals.
    fn show(&self) -> Value {
        let share = |yes: u64, of: u64| {
            let Interval { low, mean, high } = rate(yes as f64, of.saturating_sub(yes) as f64, 0.9);
            json!({"mean": mean, "low": low, "high": high, "seen": yes, "count": of})
        };
        json!({
            "games": self.games,
            "deals": self.deals,
            "met": share(self.met, self.deals),
            "over": share(self.over, self.deals),
            "under": share(self.under, self.deals),
            "declared_of_cards": share(self.declared, self.cards),
            "taken_of_cards": share(self.taken, self.cards),
        })
    }
}

/// Facts found and not yet handed out, and the players' records.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    found: Vec<Fact>,
    own: Seat,
    records: Seats<Record>,
}

impl Facts {
    /// A game begins.
    pub fn begins(&mut self, game: &Game, own: Seat) {
        self.own = own;
        self.records = Seats::from_fn(game.players(), |_| Record {
            games: 1,
            ..Record::default()
        });
        self.note(
            "game",
            json!({
                "seat": own,
                "players": game.players(),
                "values": game.deck().values(),
                "suits": game.deck().suits(),
                "deals": game.deals().len(),
            }),
        );
    }

    /// A deal is over; `at` counts from 0.
    pub fn deal(&mut self, at: usize, round: &Round) {
        for (seat, declared) in round.declared().iter() {
            if let (Some(declared), Some(_)) = (declared, self.records.get(seat)) {
                self.records[seat].add(round.cards(), *declared, round.taken()[seat]);
            }
        }
        self.note(
            "deal",
            json!({
                "deal": at + 1,
                "cards": round.cards(),
                "declared": round.declared(),
                "taken": round.taken(),
                "points": round.points(),
            }),
        );
    }

    /// The game is over.
    pub fn result(&mut self, points: &Seats<i64>) {
        self.note("result", json!({"seat": self.own, "points": points}));
    }

    /// A message does not agree with the rules or with earlier messages: it is not folded, or shows
    /// that others were lost.
    pub fn unsound(&mut self, what: &str, why: &str) {
        let cut = |text: &str| text.chars().take(WHY_MAX).collect::<String>();
        self.note("unsound", json!({"what": cut(what), "why": cut(why)}));
    }

    /// Facts found since the last call.
    pub fn take(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.found)
    }

    /// What the game has taught of each rival, named by how many seats clockwise it sits.
    #[must_use]
    pub fn lessons(&self) -> Vec<Lesson> {
        rivals(self.own, &self.records, |record| record.deals > 0)
    }

    fn note(&mut self, kind: &str, data: Value) {
        self.found.push(Fact {
            kind: kind.to_owned(),
            data,
        });
    }
}

/// What a seat's fact is among those of the others: all see every deal alike.
pub(super) fn sighting(fact: &Fact, _: Seat) -> Sighting {
    match fact.kind.as_str() {
        "game" | "result" => Sighting::shared(fact, &[]).apart(&["seat"]),
        "deal" => Sighting::shared(fact, &["deal"]),
        _ => Sighting::Own,
    }
}
