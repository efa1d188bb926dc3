//! Tiles: those that come with the game, and drawn ones.

use super::atlas;
use super::generate::{Style, generate};
use super::map::Map;
use drover_game::SetupError;
use drover_game::maps::{MapSize, MapStyle, Maps};

/// The game's maps: one player's tile each.
pub struct Tiles;

impl Maps for Tiles {
    fn sizes(&self) -> &'static [MapSize] {
        &[]
    }

    fn shipped(&self) -> &'static [(&'static str, &'static str)] {
        &atlas::MAPS
    }

    fn draw(&self, seed: u64, wanted: &MapStyle) -> Result<String, SetupError> {
        if wanted
            .size("lighthouses")
            .or(wanted.size("players"))
            .is_some()
        {
            let why = "a smartdog map is one player's tile: it has no lighthouses or players";
            return Err(SetupError(why.to_owned()));
        }
        if wanted.size("width").or(wanted.size("height")).is_some() {
            let why = "the size of a smartdog map is drawn by its seed";
            return Err(SetupError(why.to_owned()));
        }
        let style = Style {
            symmetric: wanted.symmetric,
            ..Style::default()
        };
        Ok(generate(seed, &style).to_string())
    }

    fn check(&self, text: &str) -> Result<(), SetupError> {
        Map::read(text).map(drop)
    }
}
