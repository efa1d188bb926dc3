//! Climbs hills of policies.

use super::farm::{BOTS_APART, CLIMBER, Farm};
use crate::field::Field as _;
use crate::play::{Pace, play};
use games::koehandel::bots::evolved;
use games::koehandel::bots::policy::Profile;
use games::rng::Rng;
use std::time::Duration;

/// Deals on which the ends of a climb are compared, of three times as many matches.
const FRESH: u64 = 1_000_000;
/// Deals of a step from the next one's.
const STEPS_APART: u64 = 10_000_000;
/// A change is kept from so much on.
const GAIN: f64 = 0.004;

/// Climbs from the evolved player's numbers in random company of `bots`, and prints what is kept.
pub(super) fn climb(
    mut farm: Farm,
    bots: &[String],
    games: u64,
    steps: u64,
    seed: u64,
) -> anyhow::Result<()> {
    let pay = farm.pay;
    farm.profile = *evolved::profile(pay);
    let mut rng = Rng::new(seed, 3);
    println!(
        "{pay:?} from {:.4}",
        fitness(&farm, bots, FRESH, 3 * games)?
    );
    for step in 0..steps {
        let old = farm.profile;
        let seed = STEPS_APART * (step + 1);
        let before = fitness(&farm, bots, seed, games)?;
        farm.profile = changed(old, &mut rng);
        let after = fitness(&farm, bots, seed, games)?;
        if after > before + GAIN {
            println!(
                "  step {step}: {before:.4} -> {after:.4} {:?}",
                farm.profile
            );
        } else {
            farm.profile = old;
        }
    }
    let end = fitness(&farm, bots, FRESH, 3 * games)?;
    println!("{pay:?} to {end:.4} {:?}", farm.profile);
    Ok(())
}

/// The win share of the farm's profile in random company.
fn fitness(farm: &Farm, bots: &[String], seed: u64, games: u64) -> anyhow::Result<f64> {
    let pace = Pace {
        nodes: 1,
        within: Duration::MAX,
    };
    let mut wins = 0.0;
    for game in 0..games {
        let mut rng = Rng::new(seed + game, 5);
        let own = (game % 4) as usize;
        let mut draw = |_| bots[rng.below(bots.len() as u32) as usize].as_str();
        let mut names: [&str; 4] = std::array::from_fn(&mut draw);
        names[own] = CLIMBER;
        let setup = farm.setup(0, seed + game)?;
        // Bots' chance is that of the deal's number here.
        let records = play(farm, pace, &setup, &names, (seed + game) ^ BOTS_APART)?;
        wins += records[own].figures[0];
    }
    Ok(wins / games as f64)
}

/// One or two of the numbers changed.
fn changed(profile: Profile, rng: &mut Rng) -> Profile {
    let mut next = profile;
    for _ in 0..1 + rng.below(2) {
        let change = |value: &mut f32, rng: &mut Rng, least: f32| {
            let factor = 1.0 + 0.5 * (rng.unit() as f32 - 0.5);
            *value = (*value * factor + 0.1 * (rng.unit() as f32 - 0.5)).max(least);
        };
        match rng.below(11) {
            0 => change(&mut next.bid, rng, 0.1),
            1 => change(&mut next.denial, rng, 0.0),
            2 => change(&mut next.trade_denial, rng, 0.0),
            3 => change(&mut next.reserve, rng, 0.0),
            4 => change(&mut next.pre_empt, rng, 0.0),
            5 => change(&mut next.offer.0, rng, 0.0),
            6 => change(&mut next.offer.1, rng, 0.1),
            7 => change(&mut next.counter.0, rng, 0.0),
            8 => change(&mut next.counter.1, rng, 0.1),
            9 => {
                let mut cap = next.cash_cap.unwrap_or(2.0);
                change(&mut cap, rng, 0.2);
                next.cash_cap = Some(cap);
            }
            _ => next.noise = if next.noise > 0.0 { 0.0 } else { 0.1 },
        }
    }
    next.reserve = next.reserve.min(0.6);
    next.offer.1 = next.offer.1.max(next.offer.0);
    next.counter.1 = next.counter.1.max(next.counter.0);
    next
}
