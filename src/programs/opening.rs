//! How a program learns of a match, and what it replies.

use games::neutral::{Model, Rival, Start};
use games::{DialogueSetup, Kit};
use serde_json::Value;

/// What a program receives when it is started.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The game.
    pub game: &'static str,
    /// What is known of the match.
    pub start: Start,
    /// What earlier matches taught about its rivals.
    pub models: Vec<Model>,
}

impl Opening {
    /// What is known of the match with this id from how a dialogue is set up. `again`: it began before; `note`: what the
    /// program noted last.
    #[must_use]
    pub fn new(
        kit: &'static dyn Kit,
        id: &str,
        again: bool,
        note: Value,
        setup: &DialogueSetup,
    ) -> Self {
        let show = |(of, model): &(String, Value)| {
            let model = kit
                .card()
                .models
                .map_or_else(|| model.clone(), |kind| kind.show(model));
            let of = of.clone();
            Model { of, model }
        };
        let rivals = setup.named.iter().map(|(place, name)| Rival {
            place: place.clone(),
            name: name.clone(),
        });
        Self {
            game: kit.card().name,
            start: Start {
                rivals: rivals.collect(),
                note,
                ..Start::new(kit.card().limits, id, again)
            },
            models: setup.rivals.iter().chain(&setup.types).map(show).collect(),
        }
    }
}
