//! The name of a game as an argument: help and completions list those that fit.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use games::{Kit, Wire};
use std::ffi::OsStr;

/// Any word is taken: [`game`](super::common::game) says of a wrong one which games there are, in the same words for all
/// verbs.
#[derive(Clone)]
pub(super) struct GameName(fn(&dyn Kit) -> bool);

impl GameName {
    /// All games.
    pub(super) const ALL: Self = Self(|_| true);
    /// Those with maps.
    pub(super) const WITH_MAPS: Self = Self(|kit| kit.card().maps.is_some());
    /// Those that come with maps.
    pub(super) const SHIPS_MAPS: Self = Self(|kit| {
        kit.card()
            .maps
            .is_some_and(|maps| !maps.shipped().is_empty())
    });
    /// Those whose players an arbiter starts.
    pub(super) const OVER_PIPES: Self = Self(|kit| kit.card().wire == Wire::Stdio);
    /// Those whose players come from elsewhere.
    pub(super) const FROM_ELSEWHERE: Self = Self(|kit| kit.card().wire != Wire::Stdio);
    /// Those whose champion is trained.
    pub(super) const TRAINED: Self = Self(|kit| kit.card().training.is_some());
}

impl TypedValueParser for GameName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let fitting = games::ALL.iter().filter(|kit| self.0(**kit));
        Some(Box::new(
            fitting.map(|kit| PossibleValue::new(kit.card().name)),
        ))
    }
}
