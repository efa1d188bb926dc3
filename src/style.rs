//! The stylesheet of all pages, which those that stand alone bring with them.

/// The stylesheet.
pub const STYLE: &str = include_str!("api/pages/assets/app.css");
