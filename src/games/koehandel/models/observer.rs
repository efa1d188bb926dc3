//! What one match teaches about each rival, folded from the messages of one seat.

use super::evidence::{Evidence, Tally, VERSION, bin};
use crate::bots::champion::{Memory, Noted};
use crate::bots::styles::KINDS;
use crate::cards::{Animal, Compass, PLAYERS};
use crate::message::Message;
use crate::view::View;
use drover_game::stats::Interval;
use drover_game::wire::Lesson;

/// The seed for the deals that an observer considers possible: arbitrary but fixed.
const SEED: u64 = 0x0B5E_72E2;
/// A type is named only after this many acts of a rival.
const ACTS_MIN: u32 = 8;
/// Types less likely than this are not stored with a match.
const SHARE_MIN: f32 = 0.02;
/// The fewest auctions of which a share is given: as many as pages ask of every share.
const AUCTIONS_MIN: f64 = 10.0;

/// Observes one match from one seat.
pub struct Observer {
    memory: Memory,
    /// For W, N, E; empty in a match just begun, so that idle sessions stay small.
    evidence: [Option<Box<Evidence>>; 3],
    /// The card now up, and the most that everybody can have held when it was put up, where that is proved.
    most: Option<(Animal, [u16; PLAYERS])>,
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
            most: None,
            over: false,
        }
    }
}

impl Observer {
    /// Takes in a message; `view` is what the seat knows after it, and `proved` whether its bounds are proved.
    pub fn receive(&mut self, message: &Message, view: &View, proved: bool) {
        match message {
            Message::Bid(sale, _) | Message::PreEmpt(sale, _) => {
                self.most = proved.then(|| (sale.card, view.cash.map(|bounds| bounds.high)));
            }
            // Of a sale whose messages did not arrive: what was paid between the two is not known.
            Message::Bought(bought) => {
                self.most = self.most.filter(|(card, _)| *card == bought.card)
            }
            _ => {}
        }
        let exposed = match message {
            Message::Bluffed { by, .. } => Some(*by),
            _ => None,
        };
        self.memory.receive(message);
        if matches!(message, Message::Start | Message::Bid(..)) {
            self.memory.agree(view);
        }
        self.over |= matches!(message, Message::End(_));
        for note in self.memory.notes() {
            self.count(note, exposed);
        }
    }

    fn evidence(&mut self, rival: Compass) -> &mut Evidence {
        self.evidence[(rival.index() + 2) % 3].get_or_insert_default()
    }

    /// Whether nobody in this place can have held so much when the card was put up.
    fn proves(&self, rival: Compass, bid: u16) -> bool {
        self.most.is_some_and(|(_, most)| bid > most[rival.index()])
    }

    /// Counts what the observer received; `exposed`: by a message that showed this player's bluff.
    fn count(&mut self, note: Noted, exposed: Option<Compass>) {
        match note {
            Noted::Auction {
                rival,
                part,
                claim,
                over,
            } => {
                let (bid, exposed) = (part.bid > 0, exposed == Some(rival));
                let proved = self.proves(rival, part.bid);
                let evidence = self.evidence(rival);
                evidence.bids.count(bid || exposed);
                if bid && !exposed {
                    evidence.offered(false, proved, f64::from(over));
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
                let evidence = self.evidence(rival);
                let at = bin(f64::from(price) / f64::from(claim.max(1.0)));
                let bins = if bought {
                    &mut evidence.bought
                } else {
                    &mut evidence.sold
                };
                bins[at] += 1.0;
            }
            Noted::Exposed(rival) => self.evidence(rival).offered(true, true, 1.0),
            Noted::Offer { rival, paid } => {
                let cards = paid.cards().to_string();
                let offers = &mut self.evidence(rival).offers;
                offers
                    .entry(cards)
                    .or_default()
                    .add(f64::from(paid.value()));
            }
            Noted::Counter { rival, countered } => {
                self.evidence(rival).counters.count(countered);
            }
            Noted::Paid { rival, exact } => {
                self.evidence(rival).exact_payments.count(exact);
            }
            Noted::Turn { rival, traded } => {
                self.evidence(rival).early_trades.count(traded);
            }
        }
    }

    /// What was seen of a rival so far, if anything was.
    #[must_use]
    pub fn seen(&self, rival: Compass) -> Option<&Evidence> {
        self.evidence[(rival.index() + 2) % 3].as_deref()
    }

    /// The share of the auctions in which a rival bid where it is proved to have bluffed, and where it is believed to
    /// have; `None` for fewer than ten auctions.
    #[must_use]
    pub fn bluffs(&self, rival: Compass) -> Option<[Interval; 2]> {
        let evidence = self.seen(rival)?;
        let auctions = evidence.bluffs.yes + evidence.bluffs.no;
        (auctions >= AUCTIONS_MIN).then(|| [evidence.bluffs, evidence.believed].map(Tally::counted))
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

#[cfg(test)]
mod tests {
    use super::Observer;
    use crate::cards::Compass;

    #[test]
    fn bluffs_are_a_share_from_ten_auctions_on() {
        let mut observer = Observer::default();
        let shares = [(); 10].map(|()| {
            observer.evidence(Compass::W).offered(false, true, 1.0);
            let bluffs = observer.bluffs(Compass::W);
            bluffs.map(|[proved, _]| (proved.mean, proved.high))
        });
        assert!(shares[..9].iter().all(Option::is_none));
        assert_eq!(shares[9], Some((1.0, 1.0)));
    }
}
