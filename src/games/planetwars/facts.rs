//! What is kept of a game for history: who took what from whom, fleets sent and where they seem to have
//! landed, words of the ring, the standing every twenty turns, and what each opponent has been seen to do.

use super::bots::ring::Ring;
use super::dialect::judge::{Line, Lines, REPLY_LINES_MAX, line};
use super::rules::{Distances, NEUTRAL, Planet, PlayerId, ShownFleet, Travel, View, owners};
use drover_game::counts::{Counts, counts};
use drover_game::game::Seat;
use drover_game::ladder::{DIGEST_BASIS, DIGEST_PRIME};
use drover_game::sighting::Sighting;
use drover_game::stats::{Interval, events90};
use drover_game::wire::{Fact, Lesson};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Letters of the reason why a message is unsound that are kept.
const WHY_MAX: usize = 160;
/// A standing is noted each time that this number of turns has passed.
const STANDING_EVERY: u32 = 20;
/// Fleets of others that are looked for at a time, at most.
const SOUGHT_MAX: usize = 1_000;
/// The last turn whose state goes into the digest that distinguishes games.
const DIGEST_TURN: u32 = 12;

counts! {
    /// Counts over games of one player, as far as they could be seen.
    pub struct Record {
        /// Games.
        pub games: u64,
        /// Turns in which it had a planet.
        pub turns: u64,
        /// Planets taken, nobody's included.
        pub captures: u64,
        /// Planets taken from us.
        pub from_us: u64,
        /// Planets lost.
        pub losses: u64,
        /// Fleets seen to leave.
        pub fleets: u64,
        /// Ships in them, at least.
        pub ships: u64,
        /// Planets held, summed over turns.
        pub held: u64,
        /// Growth of those, summed over turns.
        pub growth: i64,
    }
}

impl Counts for Record {
    fn show(&self) -> Value {
        let mean = |sum: f64, of: u64| json!({"mean": sum / of.max(1) as f64, "count": of});
        let per = |count: u64, of: u64| {
            let Interval { low, mean, high } = events90(count, of);
            json!({"mean": mean, "low": low, "high": high, "count": of})
        };
        json!({
            "games": self.games,
            "turns": self.turns,
            "captures_a_game": per(self.captures, self.games),
            "captures_from_us_a_game": per(self.from_us, self.games),
            "losses_a_game": per(self.losses, self.games),
            "fleets_a_turn": per(self.fleets, self.turns),
            "ships_a_fleet": mean(self.ships as f64, self.fleets),
            "planets_held": mean(self.held as f64, self.turns),
            "growth_held": mean(self.growth as f64, self.turns),
        })
    }
}

/// A fleet of somebody else's, seen to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sought {
    by: PlayerId,
    /// Its planet's place in the list.
    from: usize,
    ships: i64,
    left: u32,
}

/// An own fleet in flight, between places in the list.
#[derive(Clone, Copy, Debug)]
struct Own {
    from: usize,
    to: usize,
    ships: i64,
    left: u32,
    lands: u32,
}

/// Facts found and not yet handed out, and the players' records.
#[derive(Default)]
pub struct Facts {
    found: Vec<Fact>,
    records: BTreeMap<PlayerId, Record>,
    before: Option<View>,
    distances: Option<Distances>,
    ring: Option<Ring>,
    /// Allies as they were noted last.
    noted: Vec<PlayerId>,
    digest: u64,
    sought: Vec<Sought>,
    own: Vec<Own>,
    /// The word that was said last; the first one of a player without anything to say is 0.
    said: u32,
}

impl Facts {
    /// A state was received.
    pub fn state(&mut self, view: &View) {
        let turn = view.turn;
        self.fold(view);
        match self.before.take() {
            None => self.begins(view),
            Some(before) => {
                if before.message != view.message {
                    self.note("word", json!({"turn": turn, "heard": view.message}));
                }
                self.changes(&before, view);
            }
        }
        self.count(view);
        self.team(view);
        if turn > 0 && turn.is_multiple_of(STANDING_EVERY) {
            let players = standing(view);
            self.note("standing", json!({"turn": turn, "players": players}));
        }
        self.before = Some(view.clone());
    }

    fn begins(&mut self, view: &View) {
        let players = owners(&view.planets);
        self.records = players
            .iter()
            .map(|player| {
                let record = Record {
                    games: 1,
                    ..Record::default()
                };
                (*player, record)
            })
            .collect();
        self.distances = Some(Distances::new(&view.planets, Travel::Ceil));
        self.ring = Some(Ring::new(view));
        let planets = view.planets.len();
        let data = json!({"player": view.you, "players": players, "planets": planets});
        self.note("game", data);
    }

    /// What all players receive alike goes into the digest.
    fn fold(&mut self, view: &View) {
        if view.turn > DIGEST_TURN {
            return;
        }
        if view.turn == 0 {
            self.digest = DIGEST_BASIS;
        }
        for planet in view.planets.iter() {
            let words = [
                u64::from(planet.id),
                planet.x.to_bits(),
                planet.y.to_bits(),
                planet.growth as u64,
                u64::from(planet.owner),
                planet.ships as u64,
            ];
            for word in words {
                self.digest = (self.digest ^ word).wrapping_mul(DIGEST_PRIME);
            }
        }
    }

    fn count(&mut self, view: &View) {
        let mut held: BTreeMap<PlayerId, (u64, i64)> = BTreeMap::new();
        for planet in view.planets.iter() {
            let sums = held.entry(planet.owner).or_default();
            *sums = (sums.0 + 1, sums.1 + planet.growth);
        }
        for (player, (planets, growth)) in held {
            if let Some(record) = self.records.get_mut(&player) {
                record.turns += 1;
                record.held += planets;
                record.growth += growth;
            }
        }
    }

    /// Who one's allies are, as the words of the ring have shown. The digest of the first states is the
    /// same for all players of a game: sessions of one team are known by it.
    fn team(&mut self, view: &View) {
        let Some(ring) = &mut self.ring else {
            return;
        };
        ring.receive(view);
        let mates = ring.mates().to_vec();
        if view.turn < DIGEST_TURN || !ring.settled() || mates.len() < 2 || mates == self.noted {
            return;
        }
        let complete = ring.complete();
        self.noted.clone_from(&mates);
        let data = json!({
            "turn": view.turn,
            "player": view.you,
            "allies": mates,
            "complete": complete,
            "digest": format!("{:016x}", self.digest),
        });
        self.note("team", data);
    }

    /// Allies as far as they are known, oneself included.
    #[must_use]
    pub fn allies(&self) -> &[PlayerId] {
        self.ring.as_ref().map_or(&[], Ring::mates)
    }

    /// Own fleets that were under way when the last state was received, as they were ordered; when they land is by the
    /// contest's rules.
    #[must_use]
    pub fn fleets(&self) -> Vec<ShownFleet> {
        let Some(view) = &self.before else {
            return Vec::new();
        };
        let id = |place: usize| view.planets.get(place).map(|planet| planet.id);
        let own = self.own.iter();
        let under_way = own.filter(|own| own.left < view.turn && own.lands > view.turn);
        let shown = under_way.filter_map(|own| {
            Some(ShownFleet {
                owner: view.you,
                from: id(own.from)?,
                to: id(own.to)?,
                ships: own.ships,
                turns: own.lands.saturating_sub(own.left),
                left: own.lands - view.turn,
            })
        });
        shown.collect()
    }

    fn changes(&mut self, before: &View, now: &View) {
        let turn = now.turn;
        let (landing, flying): (Vec<Own>, Vec<Own>) =
            self.own.iter().partition(|own| own.lands <= turn);
        self.own = flying;
        let own = |place: usize| {
            let here = landing.iter().filter(|own| own.to == place);
            here.fold(0i64, |sum, own| sum.saturating_add(own.ships))
        };
        let pairs = || before.planets.iter().zip(now.planets.iter()).enumerate();
        // A fleet may land in the state in which its leaving shows: first who has left.
        for (place, (was, is)) in pairs() {
            self.left(place, was, is, own(place), now);
        }
        for (place, (was, is)) in pairs() {
            self.arrived(place, was, is, own(place), now);
        }
        let longest = self.distances.as_ref().map_or(0, Distances::longest);
        self.sought
            .retain(|sought| sought.left.saturating_add(longest) > turn);
    }

    /// Ships that are gone from a planet of somebody else's, unless one of our fleets fought there. They
    /// have left, or were lost to a third one: that does not show.
    fn left(&mut self, place: usize, was: &Planet, is: &Planet, own: i64, now: &View) {
        let by = was.owner;
        let gone = -gained(was, is);
        if by != is.owner || by == NEUTRAL || by == now.you || own > 0 || gone <= 0 {
            return;
        }
        let left = now.turn.saturating_sub(1);
        // Fleets of third ones that were on their way here explain it as well.
        let fought = self
            .sought
            .iter()
            .any(|sought| sought.by != by && self.lands(sought, place) == now.turn);
        if fought {
            return;
        }
        if let Some(record) = self.records.get_mut(&by) {
            record.fleets += 1;
            record.ships += gone.unsigned_abs();
        }
        if self.sought.len() < SOUGHT_MAX {
            self.sought.push(Sought {
                by,
                from: place,
                ships: gone,
                left,
            });
        }
        let data = json!({"turn": left, "by": by, "planet": was.id, "ships": gone});
        self.note("sent", data);
    }

    /// What has landed on a planet, as far as it shows: somebody has taken it, or its owner has more ships
    /// than have grown there.
    fn arrived(&mut self, place: usize, was: &Planet, is: &Planet, own: i64, now: &View) {
        if was.owner == is.owner {
            let more = gained(was, is);
            if was.owner != now.you && was.owner != NEUTRAL && own == 0 && more > 0 {
                self.landed(place, was.owner, Some(more), now);
            }
            return;
        }
        if let Some(record) = self.records.get_mut(&was.owner) {
            record.losses += 1;
        }
        if let Some(record) = self.records.get_mut(&is.owner) {
            record.captures += 1;
            record.from_us += u64::from(was.owner == now.you);
        }
        let data = json!({
            "turn": now.turn, "planet": is.id, "from": was.owner, "to": is.owner, "ships": is.ships,
        });
        self.note("capture", data);
        if is.owner != now.you && is.owner != NEUTRAL {
            self.landed(place, is.owner, None, now);
        }
    }

    /// The turn in which a fleet lands if it flies to this place.
    fn lands(&self, sought: &Sought, place: usize) -> u32 {
        let distances = self.distances.as_ref();
        let flight = distances.map_or(0, |all| all.turns(sought.from, place));
        sought.left.saturating_add(flight.max(1))
    }

    /// Ships of somebody else's landed here, n where that shows: which fleet may that have been?
    fn landed(&mut self, place: usize, by: PlayerId, ships: Option<i64>, now: &View) {
        let due = |sought: &&Sought| {
            sought.by == by && sought.from != place && self.lands(sought, place) == now.turn
        };
        let exact = |sought: &Sought| ships == Some(sought.ships);
        let found = self.sought.iter().filter(due).find(|sought| exact(sought));
        let Some(fleet) = found.or_else(|| self.sought.iter().find(due)).copied() else {
            return;
        };
        let id = |place: usize| now.planets.get(place).map(|planet| planet.id);
        let data = json!({
            "turn": now.turn, "by": by, "from": id(fleet.from), "to": id(place),
            "ships": fleet.ships, "left": fleet.left, "exact": exact(&fleet),
        });
        if let Some(at) = self.sought.iter().position(|sought| *sought == fleet) {
            self.sought.remove(at);
        }
        self.note("fleet", data);
    }

    /// What was answered to the state received last.
    pub fn said(&mut self, reply: &str) {
        let Some(view) = self.before.clone() else {
            return;
        };
        let place = |id: u32| view.planets.iter().position(|planet| planet.id == id);
        for text in reply.lines().take(REPLY_LINES_MAX) {
            match line(text.as_bytes(), Lines::Lenient) {
                Ok(Line::Launch(launch)) if launch.ships > 0 => {
                    let (Some(from), Some(to)) = (place(launch.from), place(launch.to)) else {
                        continue;
                    };
                    let flight = self.distances.as_ref().map_or(0, |all| all.turns(from, to));
                    let lands = view.turn.saturating_add(flight.max(1));
                    let ships = launch.ships;
                    if let Some(record) = self.records.get_mut(&view.you) {
                        record.fleets += 1;
                        record.ships += ships.unsigned_abs();
                    }
                    let left = view.turn;
                    self.own.push(Own {
                        from,
                        to,
                        ships,
                        left,
                        lands,
                    });
                    let data = json!({
                        "turn": view.turn, "from": launch.from, "to": launch.to, "ships": ships, "lands": lands,
                    });
                    self.note("launch", data);
                }
                Ok(Line::Message(word)) if self.said != word => {
                    self.said = word;
                    self.note("word", json!({"turn": view.turn, "said": word}));
                }
                _ => {}
            }
        }
    }

    /// The game is over as far as this seat knows: a sentence on how it stood.
    pub fn result(&mut self, view: &View) -> String {
        let players = standing(view);
        let own = self.own.iter();
        let flying = own.fold(0i64, |sum, own| sum.saturating_add(own.ships));
        let held = view
            .planets
            .iter()
            .filter(|planet| planet.owner == view.you);
        let (planets, ships) = held.fold((0, 0), |(planets, ships), planet| {
            (planets + 1, ships + planet.ships)
        });
        let turn = view.turn;
        self.note(
            "result",
            json!({"turn": turn, "player": view.you, "players": players, "flying": flying}),
        );
        format!(
            "{planets} planets with {ships} ships, {flying} more in flight, after {turn} rounds"
        )
    }

    /// Facts found since the last call.
    pub fn take(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.found)
    }

    /// What the game has taught of each rival, named by how many players on it is.
    #[must_use]
    pub fn lessons(&self) -> Vec<Lesson> {
        let players: Vec<PlayerId> = self.records.keys().copied().collect();
        let you = self.before.as_ref().map(|view| view.you);
        let own = players.iter().position(|player| Some(*player) == you);
        let Some(own) = own else {
            return Vec::new();
        };
        let allies = self.allies();
        let rivals = self.records.iter().enumerate();
        rivals
            .filter(|(_, (player, record))| {
                record.turns > 0 && Some(**player) != you && !allies.contains(player)
            })
            .map(|(at, (_, record))| Lesson {
                rival: ((at + players.len() - own) % players.len().max(1)).to_string(),
                kind: None,
                evidence: json!(record),
            })
            .collect()
    }

    /// A message does not agree with the rules or with earlier messages, and is not folded.
    pub fn unsound(&mut self, what: &str, why: &str) {
        let why: String = why.chars().take(WHY_MAX).collect();
        self.note("unsound", json!({"what": what, "why": why}));
    }

    fn note(&mut self, kind: &str, data: Value) {
        self.found.push(Fact::new(kind, data));
    }
}

/// Ships that a planet has more than have grown on it.
fn gained(was: &Planet, is: &Planet) -> i64 {
    let grown = if was.owner == NEUTRAL { 0 } else { was.growth };
    // Growth ends at no ships.
    is.ships - was.ships.saturating_add(grown).max(0)
}

/// Every player's planets, ships on them and growth.
fn standing(view: &View) -> Vec<Value> {
    let mut sums: BTreeMap<PlayerId, (u64, i64, i64)> = BTreeMap::new();
    for planet in view.planets.iter().filter(|planet| planet.owner != NEUTRAL) {
        let (planets, ships, growth) = sums.entry(planet.owner).or_default();
        *planets += 1;
        *ships += planet.ships;
        *growth += planet.growth;
    }
    let shown = sums.iter().map(|(player, (planets, ships, growth))| {
        json!({"player": player, "planets": planets, "ships": ships, "growth": growth})
    });
    shown.collect()
}

/// What a seat's fact is among those of the others: all receive the same planets, and who sends a fleet knows where it goes.
pub(super) fn sighting(fact: &Fact, _: Seat) -> Sighting {
    match fact.kind.as_str() {
        "game" => Sighting::shared(fact, &[]).apart(&["player"]),
        "capture" => Sighting::shared(fact, &["turn", "planet"]),
        "standing" => Sighting::shared(fact, &["turn"]),
        "result" => Sighting::shared(fact, &[]).apart(&["player", "flying"]),
        "sent" | "fleet" => Sighting::Echo,
        // A word that was received is one that another seat has said.
        "word" if fact.data["said"].is_null() => Sighting::Echo,
        _ => Sighting::Own,
    }
}
