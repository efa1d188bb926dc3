//! What one match teaches about each rival, folded from the messages of one seat.

use super::evidence::{Evidence, Tally, VERSION, bin};
use super::show::LEVEL;
use crate::koehandel::bots::champion::{Memory, Noted};
use crate::koehandel::bots::styles::KINDS;
use crate::koehandel::cards::Compass;
use crate::koehandel::message::Message;
use crate::koehandel::view::View;
use crate::stats::{Interval, rate};
use crate::wire::Lesson;

/// The seed for the deals that an observer considers possible: arbitrary but fixed.
const SEED: u64 = 0x0B5E_72E2;
/// A type is named only after this many acts of a rival.
const ACTS_MIN: u32 = 8;
/// Types less likely than this are not stored with a match.
const SHARE_MIN: f32 = 0.02;

/// Observes one match from one seat.
pub struct Observer {
    memory: Memory,
    /// For W, N, E; empty in a match just begun, so that idle sessions stay small.
    evidence: [Option<Box<Evidence>>; 3],
    over: bool,
}

impl Default for Observer {
    /// Before the first message.
    fn default() -> Self {
        let mut memory = Memory::new(SEED);
        memory.take_notes();
        Self {
            memory,
            evidence: [None, None, None],
            over: false,
        }
    }
}

impl Observer {
    /// Takes in a message; `view` is what the seat knows after it.
    pub fn hear(&mut self, message: &Message, view: &View) {
        self.memory.hear(message);
        if matches!(message, Message::Start | Message::Bid(..)) {
            self.memory.agree(view);
        }
        self.over |= matches!(message, Message::End(_));
        for note in self.memory.notes() {
            self.count(note);
        }
    }

    fn of(&mut self, rival: Compass) -> &mut Evidence {
        self.evidence[(rival.index() + 2) % 3].get_or_insert_default()
    }

    fn count(&mut self, note: Noted) {
        match note {
            Noted::Auction {
                rival,
                part,
                claim,
                most,
            } => {
                let evidence = self.of(rival);
                evidence.bids.count(part.bid > 0);
                if part.bid > 0 {
                    evidence.bluffs.count(part.bid > most);
                    evidence.exposures.no += 1.0;
                }
                if let Some(price) = part.passed {
                    let ratio = f64::from(price.max(part.bid)) / f64::from(claim.max(1.0));
                    evidence.drop_out[bin(ratio)] += 1.0;
                    evidence.drop_out_ratio.add(ratio.min(10.0));
                }
            }
            Noted::PreEmpt {
                rival,
                bought,
                price,
                claim,
            } => {
                let evidence = self.of(rival);
                let at = bin(f64::from(price) / f64::from(claim.max(1.0)));
                let bins = if bought {
                    &mut evidence.bought
                } else {
                    &mut evidence.sold
                };
                bins[at] += 1.0;
            }
            Noted::Exposed(rival) => {
                let exposures = &mut self.of(rival).exposures;
                exposures.yes += 1.0;
                exposures.no = (exposures.no - 1.0).max(0.0);
            }
            Noted::Offer { rival, paid } => {
                let cards = paid.cards().to_string();
                let offers = &mut self.of(rival).offers;
                offers
                    .entry(cards)
                    .or_default()
                    .add(f64::from(paid.value()));
            }
            Noted::Counter { rival, countered } => {
                self.of(rival).counters.count(countered);
            }
            Noted::Paid { rival, exact } => {
                self.of(rival).exact_payments.count(exact);
            }
            Noted::Turn { rival, traded } => {
                self.of(rival).early_trades.count(traded);
            }
        }
    }

    /// How often a rival that bid had bid more than it could hold, as far as that is known, if it has bid.
    #[must_use]
    pub fn bluffs(&self, rival: Compass) -> Option<Interval> {
        let evidence = self.evidence[(rival.index() + 2) % 3].as_deref()?;
        let Tally { yes, no } = evidence.bluffs;
        (yes + no > 0.0).then(|| rate(yes, no, LEVEL))
    }

    /// What was learnt so far, one lesson per rival. A match is counted only once it is over.
    #[must_use]
    pub fn lessons(&self) -> Vec<Lesson> {
        Compass::RIVALS
            .into_iter()
            .map(|rival| {
                let reading = &self.memory.readings[rival.index() - 1];
                let mut evidence = self.evidence[rival.index() - 1]
                    .as_deref()
                    .cloned()
                    .unwrap_or_default();
                evidence.version = VERSION;
                evidence.matches = f64::from(u8::from(self.over));
                let (best, share) = reading.best();
                let named = reading.acts >= ACTS_MIN;
                if named {
                    evidence.types = KINDS
                        .iter()
                        .zip(reading.weights())
                        .filter(|(_, share)| *share >= SHARE_MIN)
                        .map(|(kind, share)| (kind.name.to_owned(), f64::from(share)))
                        .collect();
                }
                let kind = KINDS.get(best).filter(|_| named);
                Lesson {
                    rival: rival.letter().to_string(),
                    kind: kind.map(|kind| (kind.name.to_owned(), f64::from(share))),
                    evidence: evidence.write(),
                }
            })
            .collect()
    }
}
