//! What is known of rivals, as data.

/// What a player may be told about his rivals before a match.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// Whether models may be used at all.
    pub enabled: bool,
}

impl Models {
    /// Nothing known, nothing used.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }
}
