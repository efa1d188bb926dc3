//! The maps that come with the program: our own designs (README.md, section 2).

use super::map::Map;
use drover_game::SetupError;

/// Every map's name and file text, sorted by name.
pub const MAPS: [(&str, &str); 9] = [
    ("atoll", include_str!("maps/atoll.txt")),
    ("crescent", include_str!("maps/crescent.txt")),
    ("delta", include_str!("maps/delta.txt")),
    ("fjord", include_str!("maps/fjord.txt")),
    ("hourglass", include_str!("maps/hourglass.txt")),
    ("orchard", include_str!("maps/orchard.txt")),
    ("plain", include_str!("maps/plain.txt")),
    ("skerries", include_str!("maps/skerries.txt")),
    ("strand", include_str!("maps/strand.txt")),
];

/// Reads the map with this name; `None` if there is none.
///
/// # Errors
/// [`SetupError`] if the built-in text is not a map, which a test rules out.
#[must_use]
pub fn find(name: &str) -> Option<Result<Map, SetupError>> {
    let (_, text) = MAPS.iter().find(|(known, _)| *known == name)?;
    Some(Map::read(text))
}
