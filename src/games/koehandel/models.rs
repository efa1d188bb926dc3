//! What is known of rivals, as data.

use crate::kit::DialogueSetup;
use serde_json::Value;

/// What a player may be told about his rivals before a match.
#[derive(Clone, Debug)]
pub struct Models {
    /// Whether the player may tell types apart at all.
    pub enabled: bool,
    /// Models of rivals whom somebody could name, by place.
    pub rivals: Vec<(String, Value)>,
    /// Models of learnt types.
    pub types: Vec<(String, Value)>,
}

impl Models {
    /// Nothing known beforehand; types are told apart during the match.
    #[must_use]
    pub fn none() -> Self {
        Self {
            enabled: true,
            rivals: Vec::new(),
            types: Vec::new(),
        }
    }

    /// Nothing known and nothing to be learnt: every rival is taken for one generic player.
    #[must_use]
    pub fn off() -> Self {
        Self {
            enabled: false,
            ..Self::none()
        }
    }

    /// As a conversation is told.
    #[must_use]
    pub fn of(setup: &DialogueSetup) -> Self {
        Self {
            enabled: setup.models,
            rivals: setup.rivals.clone(),
            types: setup.types.clone(),
        }
    }
}
