//! Islands: those that come with the game, and drawn ones.

use super::atlas;
use super::generate::{Style, generate};
use super::map::Map;
use drover_game::SetupError;
use drover_game::maps::{MapSize, MapStyle, Maps};

/// The game's maps.
pub struct Islands;

impl Maps for Islands {
    fn shipped(&self) -> &'static [(&'static str, &'static str)] {
        &atlas::MAPS
    }

    fn sizes(&self) -> &'static [MapSize] {
        const {
            &[
                MapSize::new("width", "Cells of a row; by seed unless it is given."),
                MapSize::new("height", "Rows; by seed unless it is given."),
                MapSize::new(
                    "lighthouses",
                    "Lighthouses; by seed and size unless it is given.",
                ),
                MapSize::new("players", "Players that can start on it."),
            ]
        }
    }

    fn draw(&self, seed: u64, wanted: &MapStyle) -> Result<String, SetupError> {
        let style = Style {
            width: wanted.size("width"),
            height: wanted.size("height"),
            lighthouses: wanted.size("lighthouses"),
            players: wanted.size("players").unwrap_or(Style::default().players),
            symmetric: wanted.symmetric,
        };
        Ok(generate(seed, &style)?.to_string())
    }

    fn check(&self, text: &str) -> Result<(), SetupError> {
        Map::read(text).map(drop)
    }
}
