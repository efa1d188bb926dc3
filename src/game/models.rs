//! What is learnt over matches: models of rivals, and the data that a champion ships.

use crate::scene::Picture;
use serde_json::Value;

/// What models are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modelled {
    /// Players: opponents by name, and types of them.
    Players,
    /// Maps on which matches are played.
    Maps,
}

/// Models of rivals, or of whatever else is learnt match by match.
pub trait Models: Sync {
    /// Adds one match's evidence ([`crate::Lesson::evidence`]) to a stored model.
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value;
    /// A model made readable: each figure with its evidence count and 90 % credible interval.
    fn show(&self, model: &Value) -> Value;
    /// What they are of.
    fn modelled(&self) -> Modelled {
        Modelled::Players
    }
    /// What a shown model says besides figures, for people: names and texts, which may have several lines. Empty: its
    /// values are said as they are.
    fn words(&self, _: &Value) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// What a shown model is of as a picture, drawn as in replays, where there is one.
    fn picture(&self, _: &Value) -> Option<Picture> {
        None
    }
    /// What figures count, in a sentence each, where their names do not say it: by the names that
    /// [`show`](Self::show) gives them.
    fn notes(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// The figures that a list of models shows, by the same names, each with the verb that its value follows. Empty: the
    /// first ones.
    fn foremost(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

/// How much self-play is learnt from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Training {
    /// How many games.
    pub games: u64,
    /// Seeds all chance.
    pub seed: u64,
}

/// How what a champion ships as data is learnt.
pub trait Train: Sync {
    /// Learns by self-play and gives the data's text; `done` receives how many games are played.
    fn train(&self, training: &Training, done: &mut dyn FnMut(u64)) -> String;
}
