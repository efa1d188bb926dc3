//! Drawn maps: none come with the game.

use super::generate::{Look, Style, generate};
use super::map;
use drover_game::SetupError;
use drover_game::maps::{MapSize, MapStyle, Maps};

/// The game's maps.
pub struct Planets;

impl Maps for Planets {
    fn sizes(&self) -> &'static [MapSize] {
        const {
            &[
                MapSize::new(
                    "width",
                    "The highest coordinate; by seed unless it is given.",
                ),
                MapSize::new(
                    "planets",
                    "Planets, homes included; by players unless it is given. With --symmetric as many below it as give everybody the same.",
                ),
                MapSize::new("players", "Players that can start on it."),
            ]
        }
    }

    fn draw(&self, seed: u64, wanted: &MapStyle) -> Result<String, SetupError> {
        let style = Style {
            look: if wanted.symmetric {
                Look::Google
            } else {
                Look::Contest
            },
            players: wanted.size("players").unwrap_or(2),
            planets: wanted.size("planets"),
            side: wanted.size("width"),
        };
        Ok(map::text(&generate(seed, &style)?))
    }

    fn check(&self, text: &str) -> Result<(), SetupError> {
        map::read(text).map(drop)
    }
}
