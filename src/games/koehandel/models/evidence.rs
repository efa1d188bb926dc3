//! The schema. One match's evidence and a stored model have the same form, so merging is adding.

use crate::stats::Moments;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the schema. A model of another version is replaced, not merged.
pub const VERSION: u32 = 1;
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
        if yes {
            self.yes += 1.0;
        } else {
            self.no += 1.0;
        }
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
    /// Auctions in which it bid: whether it bid more than it can have held.
    pub bluffs: Tally,
    /// Auctions in which it bid: whether it was exposed.
    pub exposures: Tally,
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
    /// Whether it paid exactly what the server would have picked.
    pub exact_payments: Tally,
    /// Turns before the deck's end on which a trade was possible: whether it traded.
    pub early_trades: Tally,
    /// Learnt types, weighted by their probability at each match's end.
    pub types: BTreeMap<String, f64>,
}

impl Evidence {
    /// Reads a stored model. `None` for anything else and for a model of another version.
    #[must_use]
    pub fn read(model: &Value) -> Option<Self> {
        serde_json::from_value::<Self>(model.clone())
            .ok()
            .filter(|evidence| evidence.version == VERSION)
    }

    /// As stored.
    #[must_use]
    pub fn write(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Adds the counts of another.
    pub fn add(&mut self, more: &Evidence) {
        self.version = VERSION;
        self.matches += more.matches;
        let tallies = [
            (&mut self.bluffs, &more.bluffs),
            (&mut self.exposures, &more.exposures),
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
