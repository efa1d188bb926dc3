//! Who a rival may be where nobody says it: what was seen of it in this match, under the model of each known opponent.

use super::evidence::{Evidence, RATIOS};
use super::known::Models;
use crate::cards::Compass;
use crate::message::Message;
use drover_game::stats::ln_gamma;
use serde_json::Value;

/// A model's counts of one habit are scaled down to this number: nobody plays every match alike.
const COUNTS_MAX: f64 = 60.0;
/// How many counts the habits of all known opponents together weigh in the model of one.
const DOUBT: f64 = 4.0;
/// The weight of evidence: a player's acts in one match depend on each other.
const TRUST: f64 = 0.5;
/// How likely a rival of whom nothing was seen is a stranger, if others are known.
const STRANGER: f64 = 0.25;
/// The least share with which a name is reported.
const REPORTED_MIN: f64 = 0.5;

/// Who sits at one place, as far as known.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// The name.
    pub name: String,
    /// How likely it is that opponent: 1 if somebody said so.
    pub share: f64,
    /// Whether somebody said so.
    pub given: bool,
}

impl Guess {
    /// Somebody says so.
    #[must_use]
    pub fn given(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            share: 1.0,
            given: true,
        }
    }
}

/// What is known of those who may sit at the table.
#[derive(Clone, Debug)]
pub struct Who {
    models: Models,
    /// Known opponents who may sit anywhere.
    known: Box<[(String, Evidence)]>,
    /// Who sits there, W first.
    guesses: [Option<Guess>; 3],
}

/// Counts of what an opponent did, one habit after the other: see [`CHOICES`].
type Habits = [f64; CHOICES_SUM];

/// How many things each habit is a choice of: six tallies, prices at which it dropped out, and whether it bought as
/// auctioneer, by price.
const CHOICES: [usize; 7 + RATIOS.len()] = {
    let mut choices = [2; 7 + RATIOS.len()];
    choices[6] = RATIOS.len();
    choices
};
const CHOICES_SUM: usize = 12 + 3 * RATIOS.len();

impl Who {
    /// Before anything was seen. `named` are places and who is known beforehand to sit there.
    #[must_use]
    pub fn new(models: Models, known: &[(String, Value)], named: &[(String, String)]) -> Self {
        let known = known.iter();
        let known = known.filter_map(|(name, model)| Some((name.clone(), Evidence::read(model)?)));
        let guess = |rival: Compass| {
            let here = |(place, _): &&(String, String)| *place == rival.letter().to_string();
            let named = named.iter().find(here);
            named.map(|(_, name)| Guess::given(name))
        };
        Self {
            models,
            known: known.collect(),
            guesses: Compass::RIVALS.map(guess),
        }
    }

    /// Who sits at a place, as far as known.
    #[must_use]
    pub fn guess(&self, rival: Compass) -> Option<&Guess> {
        self.guesses[(rival.index() + 2) % 3].as_ref()
    }

    /// Somebody says who sits at a place, and this is known of it: then nobody of that name sits elsewhere. What its bot
    /// is reported, first of the places that are open again.
    pub fn named(&mut self, rival: Compass, guess: Guess, model: Option<&Value>) -> Vec<Message> {
        let mut reported = Vec::new();
        for at in Compass::RIVALS.into_iter().filter(|at| *at != rival) {
            let here = &mut self.guesses[(at.index() + 2) % 3];
            if here.take_if(|other| other.name == guess.name).is_some() {
                let weights = self.models.mixed(std::iter::empty());
                reported.push(Message::Expected { rival: at, weights });
            }
        }
        self.guesses[(rival.index() + 2) % 3] = Some(guess);
        let model = model.and_then(Evidence::read);
        let weights = self.models.mixed(model.iter().map(|model| (1.0, model)));
        reported.push(Message::Expected { rival, weights });
        reported
    }

    /// Thinks again about who sits at a place, of whom so much was seen. What its bot receives, and whether the guess
    /// is another one than before; `None` if there is nobody to guess.
    pub fn look(&mut self, rival: Compass, seen: &Evidence) -> Option<(Message, bool)> {
        let given = self.guess(rival).is_some_and(|guess| guess.given);
        if self.known.is_empty() || given {
            return None;
        }
        let shares = self.shares(seen);
        let pairs = shares.iter().zip(&self.known);
        let weights = self
            .models
            .mixed(pairs.map(|(share, (_, model))| (*share, model)));
        let best = shares.iter().zip(&self.known);
        let best = best.max_by(|one, other| one.0.total_cmp(other.0));
        let best = best.filter(|(share, _)| **share >= REPORTED_MIN);
        let guess = best.map(|(share, (name, _))| Guess {
            name: name.clone(),
            share: (share * 100.0).round() / 100.0,
            given: false,
        });
        let reported = |guess: &Option<Guess>| {
            let guess = guess.as_ref()?;
            Some((guess.name.clone(), (guess.share * 10.0) as u8))
        };
        let before = std::mem::replace(&mut self.guesses[(rival.index() + 2) % 3], guess);
        let new = reported(&before) != reported(&self.guesses[(rival.index() + 2) % 3]);
        Some((Message::Expected { rival, weights }, new))
    }

    /// How likely a rival of whom this was seen is each of the known opponents; what is left is a stranger's. Who is
    /// named sits elsewhere.
    fn shares(&self, seen: &Evidence) -> Vec<f64> {
        let seen = habits(seen);
        let free = |name: &String| {
            let mut given = self.guesses.iter().flatten().filter(|guess| guess.given);
            given.all(|guess| guess.name != *name)
        };
        let known: Vec<Habits> = self.known.iter().map(|(_, model)| habits(model)).collect();
        let general: Habits = std::array::from_fn(|at| known.iter().map(|model| model[at]).sum());
        let nobody = likelihood(&seen, &[0.0; CHOICES_SUM], &general);
        let names = self.known.iter().map(|(name, _)| name);
        let weights: Vec<f64> = names
            .zip(&known)
            .map(|(name, model)| match free(name) {
                true => (TRUST * (likelihood(&seen, model, &general) - nobody)).exp(),
                false => 0.0,
            })
            .collect();
        let each = (1.0 - STRANGER) / known.len() as f64;
        let sum = STRANGER + weights.iter().sum::<f64>() * each;
        weights.iter().map(|weight| weight * each / sum).collect()
    }
}

/// What an opponent did.
fn habits(of: &Evidence) -> Habits {
    let tallies = [
        of.bluffs,
        of.exposures,
        of.bids,
        of.counters,
        of.exact_payments,
        of.early_trades,
    ];
    let tallies = tallies.iter().flat_map(|tally| [tally.yes, tally.no]);
    let prices = of.bought.iter().zip(&of.sold);
    let prices = prices.flat_map(|(bought, sold)| [*bought, *sold]);
    let mut counts = tallies.chain(of.drop_out).chain(prices);
    std::array::from_fn(|_| counts.next().unwrap_or(0.0))
}

/// The logarithm of how likely counts are for a player who did as `model` counts (nothing: a stranger) and is
/// otherwise like all.
fn likelihood(seen: &Habits, model: &Habits, general: &Habits) -> f64 {
    let (mut sum, mut from) = (0.0, 0);
    for choices in CHOICES {
        let habit = from..from + choices;
        from += choices;
        let many: f64 = seen[habit.clone()].iter().sum();
        if many == 0.0 {
            continue;
        }
        let scale = COUNTS_MAX / model[habit.clone()].iter().sum::<f64>().max(COUNTS_MAX);
        let all = general[habit.clone()].iter().sum::<f64>() + 1.0;
        let mut weights = 0.0;
        for at in habit {
            let usual = (general[at] + 1.0 / choices as f64) / all;
            let weight = model[at] * scale + DOUBT * usual;
            weights += weight;
            sum += ln_gamma(weight + seen[at]) - ln_gamma(weight);
        }
        sum -= ln_gamma(weights + many) - ln_gamma(weights);
    }
    sum
}
