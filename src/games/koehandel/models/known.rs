//! What a player knows about its rivals before a match.

use super::evidence::Evidence;
use crate::bots::styles::{KINDS, Kind};
use crate::cards::Compass;
use drover_game::contest::Advice;

/// How much a rival's own history outweighs the general mix of types: doubt, in matches.
const DOUBT: f32 = 1.0;

/// Models of rivals and of learnt types.
#[derive(Clone, Debug)]
pub struct Models {
    /// Whether types are distinguished at all.
    pub enabled: bool,
    /// Models of the rivals that were named, by place.
    rivals: Vec<(Compass, Evidence)>,
    /// How often each type was met.
    types: Vec<(String, f64)>,
}

impl Models {
    /// Nothing known beforehand; types are distinguished during the match.
    #[must_use]
    pub fn none() -> Self {
        Self {
            enabled: true,
            rivals: Vec::new(),
            types: Vec::new(),
        }
    }

    /// Nothing known and nothing learnt: every rival is assumed to be one generic player.
    #[must_use]
    pub fn off() -> Self {
        Self {
            enabled: false,
            ..Self::none()
        }
    }

    /// As advised. Models that cannot be read and places that do not exist are left out.
    #[must_use]
    pub fn from_advice(advice: Advice<'_>) -> Self {
        let (rivals, types) = match advice {
            Advice::None => return Self::off(),
            Advice::Shipped => return Self::none(),
            Advice::Learnt { rivals, types } => (rivals.iter(), types.iter()),
        };
        let place = |name: &str| name.chars().next().and_then(Compass::from_letter);
        Self {
            enabled: true,
            rivals: rivals
                .filter_map(|(name, model)| Some((place(name)?, Evidence::read(model)?)))
                .collect(),
            types: types
                .filter_map(|(name, model)| Some((name.clone(), Evidence::read(model)?.matches)))
                .collect(),
        }
    }

    /// The factor on each type's prior weight for the rival at `place`, in the order of the types; `None` if
    /// nothing is known.
    #[must_use]
    pub fn weights(&self, place: Compass) -> Option<Vec<f32>> {
        let own = self.rivals.iter().find(|(at, _)| *at == place);
        if !self.enabled || (own.is_none() && self.types.is_empty()) {
            return None;
        }
        Some(self.expected(own.map(|(_, model)| model)))
    }

    /// The factors for a rival that is each of some opponents with a probability, and else a stranger.
    #[must_use]
    pub fn mixed<'a>(&self, of: impl Iterator<Item = (f64, &'a Evidence)>) -> Box<[f32]> {
        let mut left = 1.0;
        let mut mixed = vec![0.0; KINDS.len()];
        let mut add = |share: f64, weights: Vec<f32>| {
            for (sum, weight) in mixed.iter_mut().zip(weights) {
                *sum += share as f32 * weight;
            }
        };
        for (share, model) in of {
            left -= share;
            add(share, self.expected(Some(model)));
        }
        add(left.max(0.0), self.expected(None));
        mixed.into()
    }

    /// The factor on each type's prior weight for a rival with this model, or with none. What is counted of a type
    /// are probabilities at matches' ends, in which its prior weight already is.
    fn expected(&self, own: Option<&Evidence>) -> Vec<f32> {
        let met: f64 = self.types.iter().map(|(_, matches)| matches).sum();
        let priors: f32 = KINDS.iter().map(|kind| kind.prior).sum();
        let counted = KINDS.len() as f32;
        let general = |kind: &Kind| {
            let matches = self.types.iter().find(|(name, _)| name == kind.name);
            let matches = matches.map_or(0.0, |(_, matches)| *matches as f32);
            (matches + counted * kind.prior / priors) / (met as f32 + counted)
        };
        let sum = own.map_or(0.0, |model| model.types.values().sum::<f64>()) as f32;
        let weights = KINDS.iter().map(|kind| {
            let seen = own
                .and_then(|model| model.types.get(kind.name).copied())
                .unwrap_or(0.0) as f32;
            (seen + DOUBT * general(kind)) / (sum + DOUBT) / kind.prior
        });
        weights.collect()
    }
}
