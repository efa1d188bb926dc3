//! A model in readable form: each figure with its number of observations and 90 % credible interval.

use super::evidence::{Bins, Evidence, LEVEL, RATIOS, Tally};
use drover_game::stats::{Interval, Moments, rate};
use serde_json::{Map, Value, json};

/// What the rates of bluffs count: what is proved, and what is believed.
pub const NOTES: &[(&str, &str)] = &[
    (
        "bluff_rate",
        "Proved: the share of the auctions in which it bid or bought where it offered more than it can have held by all \
         that was open, or was caught at it.",
    ),
    (
        "exposure_rate",
        "Proved, and seen by the whole table: the share of the same auctions in which it was caught. Never above the bluff \
         rate.",
    ),
    (
        "believed_bluff_rate",
        "Believed, and maybe wrong: in the same auctions, the share of the deals of hidden money that our bot held \
         possible in which it offered more than it held. Never below the bluff rate.",
    ),
];

/// How it bids, bluffs and counters: what a list shows.
pub const FOREMOST: &[(&str, &str)] = &[
    ("bid_rate", "bids"),
    ("bluff_rate", "bluffs"),
    ("counter_rate", "counters"),
];

/// What a stored model says. Anything else is shown as a model without evidence.
#[must_use]
pub fn show(model: &Value) -> Value {
    let model = Evidence::read(model).unwrap_or_default();
    let silent = Tally {
        yes: model.bids.no,
        no: model.bids.yes,
    };
    json!({
        "version": model.version,
        "lessons": model.matches,
        "bluff_rate": show_rate(model.bluffs),
        "exposure_rate": show_rate(model.exposures),
        "believed_bluff_rate": show_rate(model.believed),
        "bid_rate": show_rate(model.bids),
        "drop_out_ratio": show_ratios(&model),
        "pre_empt_threshold": threshold(&model.bought, &model.sold),
        "offers_by_cards": show_offers(&model),
        "counter_rate": show_rate(model.counters),
        "exact_payment_rate": show_rate(model.exact_payments),
        "early_trade_rate": show_rate(model.early_trades),
        "filler": filler(silent, model.counters),
        "types": show_types(&model),
    })
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn show_interval(interval: Interval, evidence: f64) -> Value {
    json!({
        "mean": round(interval.mean),
        "low": round(interval.low),
        "high": round(interval.high),
        "evidence": evidence,
    })
}

/// A rate with how often it was seen: its mean is that of what is believed, which is not nothing where nothing was seen.
fn show_rate(tally: Tally) -> Value {
    let mut shown = show_interval(tally.rate(), tally.yes + tally.no);
    if let Some(shown) = shown.as_object_mut() {
        shown.insert("seen".into(), json!(tally.yes));
    }
    shown
}

fn show_moments(moments: Moments) -> Value {
    if moments.count < 1.0 {
        return json!({"mean": null, "low": null, "high": null, "evidence": 0});
    }
    show_interval(moments.mean90(), moments.count)
}

/// The ratio of price to claim at which it drops out: mean, and quartiles by bin.
fn show_ratios(model: &Evidence) -> Value {
    let mut shown = show_moments(model.drop_out_ratio);
    let quartiles: Vec<Value> = [0.25, 0.5, 0.75]
        .iter()
        .map(|share| quantile(&model.drop_out, *share).map_or(Value::Null, |end| json!(end)))
        .collect();
    if let Some(shown) = shown.as_object_mut() {
        shown.insert("quartiles".into(), Value::Array(quartiles));
    }
    shown
}

/// The upper end of the bin that holds the quantile; the last bin has none.
fn quantile(bins: &Bins, share: f64) -> Option<f64> {
    let all: f64 = bins.iter().sum();
    let mut below = 0.0;
    for (end, count) in RATIOS.iter().zip(bins) {
        below += count;
        if all > 0.0 && below >= share * all {
            return Some(*end).filter(|end| *end < f64::MAX);
        }
    }
    None
}

/// The ratio up to which it buys as auctioneer: the bin end that explains most sales, and the range of ends
/// that holds 90 % of the likelihood.
fn threshold(bought: &Bins, sold: &Bins) -> Value {
    let evidence: f64 = bought.iter().chain(sold).sum();
    if evidence < 1.0 {
        return json!({"mean": null, "low": null, "high": null, "evidence": 0});
    }
    let ends: Vec<f64> = std::iter::once(0.0)
        .chain(RATIOS.iter().copied().take(RATIOS.len() - 1))
        .collect();
    let errors = |at: usize| {
        let over: f64 = bought.iter().skip(at).sum();
        let under: f64 = sold.iter().take(at).sum();
        over + under
    };
    // An act against the threshold is assumed nineteen times less likely than one in keeping with it.
    let least = (0..ends.len()).map(errors).fold(f64::MAX, f64::min);
    let weights: Vec<f64> = (0..ends.len())
        .map(|at| 19f64.powf(least - errors(at)))
        .collect();
    let sum: f64 = weights.iter().sum();
    let mean: f64 = ends
        .iter()
        .zip(&weights)
        .map(|(end, weight)| end * weight)
        .sum::<f64>()
        / sum;
    let at_share = |share: f64| {
        let mut below = 0.0;
        for (end, weight) in ends.iter().zip(&weights) {
            below += weight / sum;
            if below >= share {
                return *end;
            }
        }
        0.0
    };
    json!({
        "mean": round(mean),
        // Where one end has nearly all of the weight, the mean lies next to it.
        "low": at_share((1.0 - LEVEL) / 2.0).min(round(mean)),
        "high": at_share((1.0 + LEVEL) / 2.0).max(round(mean)),
        "evidence": evidence,
    })
}

fn show_offers(model: &Evidence) -> Value {
    let shown: Map<String, Value> = model
        .offers
        .iter()
        .map(|(cards, moments)| (cards.clone(), show_moments(*moments)))
        .collect();
    Value::Object(shown)
}

/// Whether it seems not to answer at all.
fn filler(silent: Tally, counters: Tally) -> Value {
    let asked = silent.yes + silent.no;
    json!({
        "likely": asked >= 8.0 && silent.no == 0.0 && counters.yes == 0.0,
        "evidence": asked,
    })
}

/// Types by their share of the matches; `seen` is the sum of their probabilities.
fn show_types(model: &Evidence) -> Value {
    let sum: f64 = model.types.values().sum();
    let shown: Map<String, Value> = model
        .types
        .iter()
        .map(|(name, weight)| {
            // Of one distribution, so that the estimate lies within its interval.
            let Interval { low, mean, high } = rate(*weight, sum - weight, LEVEL);
            let figure = json!({
                "share": round(mean),
                "low": round(low),
                "high": round(high),
                "seen": round(*weight),
                "evidence": round(sum),
            });
            (name.clone(), figure)
        })
        .collect();
    Value::Object(shown)
}
