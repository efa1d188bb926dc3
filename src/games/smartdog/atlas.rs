//! The maps that come with the program: our own designs (README.md, section 1).

use super::map::Map;
use drover_game::SetupError;

/// Every map's name and file text, sorted by name.
pub const MAPS: [(&str, &str); 9] = [
    ("canyon", include_str!("maps/canyon.txt")),
    ("corral", include_str!("maps/corral.txt")),
    ("crossroads", include_str!("maps/crossroads.txt")),
    ("fold", include_str!("maps/fold.txt")),
    ("guards", include_str!("maps/guards.txt")),
    ("islands", include_str!("maps/islands.txt")),
    ("market", include_str!("maps/market.txt")),
    ("meadow", include_str!("maps/meadow.txt")),
    ("seed", include_str!("maps/seed.txt")),
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
