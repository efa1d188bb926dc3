//! What is kept of a game for history: captures, links and triangles as they come and go, the standing
//! every hundred rounds, and what each opponent has been seen to do.

use super::rules::{Act, Chart, Lighthouse, Network, Point, View};
use drover_game::counts::{Counts, counts, rivals};
use drover_game::game::{Seat, Seats};
use drover_game::sighting::Sighting;
use drover_game::stats::{Interval, events90};
use drover_game::wire::{Fact, Lesson};
use serde_json::{Value, json};
use std::sync::Arc;

/// Letters of the reason why a message is unsound that are kept.
const WHY_MAX: usize = 160;
/// A standing is noted after n rounds.
const STANDING_EVERY: u32 = 100;

counts! {
    /// Counts over games of one player, as far as they could be seen.
    pub struct Record {
        /// Games.
        pub games: u64,
        /// Rounds.
        pub rounds: u64,
        /// Lighthouses taken, neutral ones included.
        pub captures: u64,
        /// Lighthouses taken from us.
        pub from_us: u64,
        /// Lighthouses lost, to others and to decay.
        pub losses: u64,
        /// Links made.
        pub links: u64,
        /// Triangles closed.
        pub triangles: u64,
        /// Energy put into lighthouses, as far as it showed.
        pub charged: u64,
        /// Points that its lighthouses, links and triangles were worth at the moments when we saw them.
        pub points: u64,
    }
}

impl Counts for Record {
    fn show(&self) -> Value {
        // Points and energy come in lumps: without their spread there is no interval.
        let mean = |sum: u64, of: u64| json!({"mean": sum as f64 / of.max(1) as f64, "count": of});
        let per = |count: u64, of: u64| {
            let Interval { low, mean, high } = events90(count, of);
            json!({"mean": mean, "low": low, "high": high, "count": of})
        };
        json!({
            "games": self.games,
            "rounds": self.rounds,
            "captures_a_game": per(self.captures, self.games),
            "captures_from_us_a_game": per(self.from_us, self.games),
            "losses_a_game": per(self.losses, self.games),
            "links_a_game": per(self.links, self.games),
            "triangles_a_game": per(self.triangles, self.games),
            "points_a_round": mean(self.points, self.rounds),
            "energy_a_capture": mean(self.charged, self.captures),
        })
    }
}

/// Facts found and not yet handed out, and the players' records.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    found: Vec<Fact>,
    own: Seat,
    records: Seats<Record>,
    before: Option<(Network, Arc<View>)>,
    /// Points at the last standing.
    points_before: i64,
}

/// A triangle by its corners, in order.
type Triangle = [Lighthouse; 3];

fn place(chart: &Chart, at: Lighthouse) -> Value {
    chart
        .lighthouses()
        .get(at.index())
        .map_or(Value::Null, |cell| json!(chart.point(*cell)))
}

/// Triangles that the link a–b is part of.
fn triangles(network: &Network, a: Lighthouse, b: Lighthouse) -> Vec<Triangle> {
    let corners = network.beacon(a).links & network.beacon(b).links;
    let sorted = |c| {
        let mut corners = [a, b, c];
        corners.sort();
        corners
    };
    Lighthouse::in_set(corners).map(sorted).collect()
}

impl Facts {
    /// A game begins.
    pub fn begins(&mut self, chart: &Chart, own: Seat, players: usize, start: Point) {
        *self = Self {
            own,
            records: Seats::from_fn(players, |_| Record {
                games: 1,
                ..Record::default()
            }),
            ..Self::default()
        };
        let cells = chart.island().iter().filter(|island| **island).count();
        self.note(
            "game",
            json!({
                "seat": own,
                "players": players,
                "position": start,
                "width": chart.width(),
                "height": chart.height(),
                "cells": cells,
                "lighthouses": chart.lighthouses().len(),
            }),
        );
    }

    /// A state was received.
    pub fn state(&mut self, chart: &Chart, view: &Arc<View>) {
        let network = Network::from_beacons(chart, self.records.len(), &view.beacons);
        let round = view.round;
        if let Some((before, seen)) = self.before.take() {
            self.changes(chart, round, &before, &network);
            for key in Lighthouse::in_set(view.keys & !seen.keys) {
                self.note(
                    "key",
                    json!({"round": round, "lighthouse": place(chart, key)}),
                );
            }
        }
        for seat in (0..self.records.len() as u8).map(Seat) {
            let record = &mut self.records[seat];
            record.rounds += 1;
            record.points += u64::try_from(network.income(seat)).unwrap_or_default();
        }
        if round > 0 && round.is_multiple_of(STANDING_EVERY) {
            self.standing(&network, view);
        }
        self.before = Some((network, Arc::clone(view)));
    }

    /// An own act succeeded: what it changed may be changed again before the next state.
    pub fn done(&mut self, chart: &Chart, act: Act) {
        let Some((before, view)) = self.before.take() else {
            return;
        };
        let mut now = before.clone();
        let here = chart.lighthouse_at(view.position);
        match (act, here) {
            (Act::Attack(strength), Some(at)) => {
                let strength = u32::try_from(strength).unwrap_or(u32::MAX);
                now.attack(chart, self.own, at, strength.min(view.energy));
            }
            (Act::Connect(to), Some(at))
                if now.linkable(chart, self.own, to.bit(), at, to).is_ok() =>
            {
                now.join(chart, at, to);
            }
            _ => {}
        }
        self.changes(chart, view.round, &before, &now);
        self.before = Some((now, view));
    }

    fn changes(&mut self, chart: &Chart, round: u32, before: &Network, now: &Network) {
        for at in (0..now.beacons().len() as u8).map(Lighthouse) {
            self.lighthouse(chart, round, at, before, now);
        }
        self.links(chart, round, before, now);
    }

    fn lighthouse(
        &mut self,
        chart: &Chart,
        round: u32,
        at: Lighthouse,
        before: &Network,
        now: &Network,
    ) {
        let (was, is) = (before.beacon(at), now.beacon(at));
        if was.owner == is.owner {
            if let Some(owner) = is.owner
                && is.energy > was.energy
                && let Some(record) = self.record(owner)
            {
                record.charged += u64::from(is.energy - was.energy);
            }
            return;
        }
        if let Some(loser) = was.owner
            && let Some(record) = self.record(loser)
        {
            record.losses += 1;
        }
        let own = self.own;
        if let Some(taker) = is.owner
            && let Some(record) = self.record(taker)
        {
            record.captures += 1;
            record.from_us += u64::from(was.owner == Some(own));
            record.charged += u64::from(is.energy);
        }
        let kind = match (was.owner, is.owner) {
            (_, Some(_)) => "capture",
            _ => "fall",
        };
        self.note(
            kind,
            json!({
                "round": round,
                "lighthouse": place(chart, at),
                "from": was.owner,
                "to": is.owner,
                "energy": is.energy,
            }),
        );
    }

    fn links(&mut self, chart: &Chart, round: u32, before: &Network, now: &Network) {
        let (mut closed, mut opened): (Vec<(Triangle, Option<Seat>)>, Vec<_>) = Default::default();
        for a in (0..now.beacons().len() as u8).map(Lighthouse) {
            let (was, is) = (before.beacon(a), now.beacon(a));
            // A link to a lighthouse that has changed hands is another link.
            let kept = |b: &Lighthouse| {
                was.owner == is.owner
                    && before.beacon(*b).owner == now.beacon(*b).owner
                    && was.links & is.links & b.bit() != 0
            };
            for b in Lighthouse::in_set(is.links).filter(|b| a < *b && !kept(b)) {
                if let Some(record) = is.owner.and_then(|owner| self.record(owner)) {
                    record.links += 1;
                }
                let ends = [place(chart, a), place(chart, b)];
                self.note(
                    "link",
                    json!({"round": round, "by": is.owner, "ends": ends}),
                );
                closed.extend(triangles(now, a, b).into_iter().map(|t| (t, is.owner)));
            }
            for b in Lighthouse::in_set(was.links).filter(|b| a < *b && !kept(b)) {
                let ends = [place(chart, a), place(chart, b)];
                let data = json!({"round": round, "by": was.owner, "ends": ends});
                self.note("link_lost", data);
                opened.extend(triangles(before, a, b).into_iter().map(|t| (t, was.owner)));
            }
        }
        for (kind, mut list) in [("triangle", closed), ("triangle_lost", opened)] {
            list.sort();
            list.dedup();
            for ([a, b, c], by) in list {
                if let Some(record) = by.and_then(|owner| self.record(owner))
                    && kind == "triangle"
                {
                    record.triangles += 1;
                }
                let corners = [a, b, c].map(|at| place(chart, at));
                let cells = chart.area(a, b, c);
                self.note(
                    kind,
                    json!({"round": round, "by": by, "corners": corners, "cells": cells}),
                );
            }
        }
    }

    fn standing(&mut self, network: &Network, view: &View) {
        let gained = view.score.saturating_sub(self.points_before);
        self.points_before = view.score;
        let held: Vec<u32> = (0..self.records.len() as u8)
            .map(|seat| network.owned(Seat(seat)).count_ones())
            .collect();
        let income: Vec<i64> = (0..self.records.len() as u8)
            .map(|seat| network.income(Seat(seat)))
            .collect();
        self.note(
            "standing",
            json!({
                "round": view.round,
                "points": view.score,
                "points_a_round": gained as f64 / f64::from(STANDING_EVERY),
                "energy": view.energy,
                "keys": view.keys.count_ones(),
                "held": held,
                "income": income,
            }),
        );
    }

    /// The game is over: own points, where known, and those reported up to the last round's beginning.
    pub fn result(&mut self, points: Option<i64>, reported: i64, rounds: u32) {
        let data = json!({"seat": self.own, "points": points, "told": reported, "rounds": rounds});
        self.note("result", data);
    }

    /// Facts found since the last call.
    pub fn take(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.found)
    }

    /// What the game has taught of each rival, named by how many seats clockwise it sits.
    #[must_use]
    pub fn lessons(&self) -> Vec<Lesson> {
        rivals(self.own, &self.records, |record| record.rounds > 0)
    }

    fn record(&mut self, seat: Seat) -> Option<&mut Record> {
        self.records.get(seat)?;
        Some(&mut self.records[seat])
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

/// What a seat's fact is among those of the others: all see all lighthouses, but each once a round, and who acts knows with
/// what.
pub(super) fn sighting(fact: &Fact, seat: Seat) -> Sighting {
    let own = |name: &str| fact.data[name] == seat.0;
    match fact.kind.as_str() {
        "game" => Sighting::shared(fact, &[]).apart(&["seat", "position"]),
        "result" => Sighting::shared(fact, &["rounds"]).apart(&["seat", "points", "told"]),
        // Who has missed an owner between two names another one before.
        "capture" => Sighting::shared(fact, &["lighthouse", "to"]).known(own("to")),
        "fall" => Sighting::shared(fact, &["lighthouse", "from"]).known(own("from")),
        "link" | "link_lost" => Sighting::shared(fact, &["by", "ends"]).known(own("by")),
        "triangle" | "triangle_lost" => Sighting::shared(fact, &["by", "corners"]).known(own("by")),
        _ => Sighting::Own,
    }
}
