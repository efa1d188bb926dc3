//! A bot's results in one line.

use drover::tournament::EntrantTally;
use games::stats::ClusteredMean;

/// Shares and means with their 95 % intervals, and what decisions took.
pub(crate) fn line(tally: &EntrantTally) -> String {
    let percent = |share: &ClusteredMean| {
        let (low, high) = share.share_interval();
        let [low, mean, high] = [low, share.value(), high].map(|share| 100.0 * share);
        format!("{mean:5.1} % ({low:.1}–{high:.1})")
    };
    let us = |share| {
        let time = tally.took.quantile(share).unwrap_or_default();
        time.as_secs_f64() * 1e6
    };
    // One block says nothing about how much others differ, nor do some that are alike.
    let margin = tally.score.margin95();
    let margin = margin.map_or_else(String::new, |margin| format!(" ± {margin:.2}"));
    format!(
        "{:5} games  {} won  {} of pairs  score {:.2}{margin}  {} refused  µs a decision p50 {:.0}, p99 {:.0}, most {:.0}",
        tally.games,
        percent(&tally.share),
        percent(&tally.pairs),
        tally.score.value(),
        tally.refused,
        us(0.5),
        us(0.99),
        us(1.0),
    )
}
