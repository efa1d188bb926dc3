//! The schema. One match's evidence and a stored model have the same form, so merging is adding.

use drover_game::stats::{Interval, Moments, rate};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the schema. A model of the first version is brought up to date; one of any other is replaced,
/// not merged.
pub const VERSION: u32 = 2;
/// The level of every interval.
pub(super) const LEVEL: f64 = 0.9;
/// Upper ends of the bins that count prices as ratios of the rival's own claim.
pub const RATIOS: [f64; 16] = [
    0.05,
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    1.0,
    1.25,
    1.5,
    2.0,
    3.0,
    f64::MAX,
];
/// The most types that a merged model counts.
const TYPES_MAX: usize = 64;

/// Counts of yes and no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// How often it was true.
    pub yes: f64,
    /// How often it was false.
    pub no: f64,
}

impl Tally {
    /// Counts one observation.
    pub fn count(&mut self, yes: bool) {
        self.add(f64::from(u8::from(yes)));
    }

    /// How often it is true, with an interval of the level [`LEVEL`] that holds 0 if it never was, and 1 if it always
    /// was.
    #[must_use]
    pub fn rate(self) -> Interval {
        let rate = rate(self.yes, self.no, LEVEL);
        Interval {
            low: if self.yes > 0.0 { rate.low } else { 0.0 },
            high: if self.no > 0.0 { rate.high } else { 1.0 },
            ..rate
        }
    }

    /// How often it was true, as it was counted, within the interval of [`rate`](Self::rate); from one observation on.
    #[must_use]
    pub fn counted(self) -> Interval {
        let rate = self.rate();
        let mean = self.yes / (self.yes + self.no);
        Interval {
            low: rate.low.min(mean),
            mean,
            high: rate.high.max(mean),
        }
    }

    /// Counts one observation that is true with this probability.
    pub fn add(&mut self, share: f64) {
        self.yes += share;
        self.no += 1.0 - share;
    }
}

/// Counts by ratio bin: see [`RATIOS`].
pub type Bins = [f64; RATIOS.len()];

/// What was counted for one rival or one type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// [`VERSION`].
    pub version: u32,
    /// Matches counted.
    pub matches: f64,
    /// Auctions in which it bid or bought: whether it is proved to have offered more than it held. It was exposed,
    /// or bid more than it can have held by all that is open.
    pub bluffs: Tally,
    /// The same auctions: whether it was exposed. Never more than the proved.
    pub exposures: Tally,
    /// The same auctions: the share of the deals held possible in which it offered more than it held; 1 where that
    /// is proved. Never less than the proved.
    pub believed: Tally,
    /// Auctions in which it was asked: whether it ever bid.
    pub bids: Tally,
    /// Prices at which it dropped out, as ratios of its own claim.
    pub drop_out: Bins,
    /// The same ratios as moments.
    pub drop_out_ratio: Moments,
    /// As auctioneer: prices at which it bought, as ratios of its own claim.
    pub bought: Bins,
    /// As auctioneer: prices at which it sold.
    pub sold: Bins,
    /// Values of its bids in trades that were revealed, by number of cards.
    pub offers: BTreeMap<String, Moments>,
    /// When challenged: whether it countered, where that was revealed.
    pub counters: Tally,
    /// Whether it paid exactly what the server would have picked, where its cards were known for sure.
    pub exact_payments: Tally,
    /// Turns before the deck's end on which a trade was possible: whether it traded.
    pub early_trades: Tally,
    /// Learnt types, weighted by their probability at each match's end, their prior weights included.
    pub types: BTreeMap<String, f64>,
}

impl Evidence {
    /// Reads a stored model. `None` for anything else and for a model of another version.
    #[must_use]
    pub fn read(model: &Value) -> Option<Self> {
        let mut read = serde_json::from_value::<Self>(model.clone()).ok()?;
        if read.version == 1 {
            read.fix();
        }
        Some(read).filter(|evidence| evidence.version == VERSION)
    }

    /// The first version counted as a bluff what none of some sampled deals allowed, which proves nothing, and an
    /// exposed auctioneer in none of the auctions.
    fn fix(&mut self) {
        let auctions = (self.bluffs.yes + self.bluffs.no).max(self.exposures.yes);
        let of = |yes: f64| Tally {
            yes,
            no: auctions - yes,
        };
        self.believed = of(self.bluffs.yes.max(self.exposures.yes));
        self.bluffs = of(self.exposures.yes);
        self.exposures = self.bluffs;
        self.version = VERSION;
    }

    /// As stored.
    #[must_use]
    pub fn write(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Counts an auction in which it bid or bought: whether it was exposed, is proved to have bluffed, and how likely
    /// it did.
    pub fn offered(&mut self, exposed: bool, proved: bool, over: f64) {
        self.exposures.count(exposed);
        self.bluffs.count(proved);
        self.believed.add(if proved { 1.0 } else { over });
    }

    /// Adds the counts of another.
    pub fn add(&mut self, more: &Evidence) {
        self.version = VERSION;
        self.matches += more.matches;
        let tallies = [
            (&mut self.bluffs, &more.bluffs),
            (&mut self.exposures, &more.exposures),
            (&mut self.believed, &more.believed),
            (&mut self.bids, &more.bids),
            (&mut self.counters, &more.counters),
            (&mut self.exact_payments, &more.exact_payments),
            (&mut self.early_trades, &more.early_trades),
        ];
        for (mine, more) in tallies {
            mine.yes += more.yes;
            mine.no += more.no;
        }
        for (mine, more) in [
            (&mut self.drop_out, &more.drop_out),
            (&mut self.bought, &more.bought),
            (&mut self.sold, &more.sold),
        ] {
            for (mine, more) in mine.iter_mut().zip(more) {
                *mine += more;
            }
        }
        self.drop_out_ratio.merge(&more.drop_out_ratio);
        for (cards, moments) in &more.offers {
            self.offers.entry(cards.clone()).or_default().merge(moments);
        }
        for (name, weight) in &more.types {
            if self.types.contains_key(name) || self.types.len() < TYPES_MAX {
                *self.types.entry(name.clone()).or_default() += weight;
            }
        }
    }
}

/// The bin of a ratio.
#[must_use]
pub fn bin(ratio: f64) -> usize {
    RATIOS
        .iter()
        .position(|end| ratio <= *end)
        .unwrap_or(RATIOS.len() - 1)
}

/// Adds one match's evidence to a stored model.
#[must_use]
pub fn merge(old: Option<&Value>, evidence: &Value) -> Value {
    let mut model = old.and_then(Evidence::read).unwrap_or_default();
    if let Some(more) = Evidence::read(evidence) {
        model.add(&more);
    }
    model.version = VERSION;
    model.write()
}
