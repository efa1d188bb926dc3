//! The games of this build.

use anyhow::Context as _;

/// A game of this build.
pub(crate) fn kit(game: &str) -> anyhow::Result<&'static dyn games::Kit> {
    games::find(game).with_context(|| format!("this build has no {game}"))
}
