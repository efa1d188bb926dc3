//! What games read back from the database, parsed from arbitrary bytes.

use super::dialogue::{Line, replay};
use crate::store::types::Direction;
use games::scene::Names;
use games::{DialogueSetup, Fact, Kit, Scene};
use serde_json::{Value, json};

/// The first byte of an input that is a transcript; the second one is the game, from `0`.
const TRANSCRIPT: u8 = b'T';
/// The byte between two entries of such an input; entries that begin with `<` are incoming.
const BETWEEN: u8 = 0x1E;
/// The maximum number of entries of such an input that are replayed.
const ENTRIES_MAX: usize = 32;

/// Reads bytes as a transcript, or as the setup, model and fact of every game. For the fuzz targets: a panic
/// is a finding.
pub fn fuzz(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let [TRANSCRIPT, game, ..] = data {
        let number = usize::from(game.saturating_sub(b'0'));
        if let Some(kit) = games::ALL.get(number) {
            transcript(*kit, text.get(2..).unwrap_or_default());
        }
    } else if let Ok(value) = serde_json::from_str(text) {
        for kit in games::ALL {
            read(*kit, &value, text);
        }
    }
}

/// Reads a JSON column as what a game stores in it.
fn read(kit: &dyn Kit, value: &Value, text: &str) {
    if let Ok(table) = kit.reopen(value) {
        let _ = (table.outcome(), table.setup(), table.scene());
    }
    if let Some(models) = kit.card().models {
        let merged = models.merge(Some(value), value);
        let _ = (models.show(value), models.show(&merged));
    }
    let _ = (
        kit.card().teams_of(text),
        (kit.card().picture)(value, &Names::default()),
        kit.card().narrow.map(|draw| draw(value, &Names::default())),
        (kit.card().news)(value, &Scene::new(0, "", value)),
    );
    for kind in ["bluff", "trade", "result"] {
        let (kind, data) = (kind.to_owned(), value.clone());
        let _ = kit.card().bluff(&Fact { kind, data });
    }
}

/// Replays a transcript of the game's weakest bot.
fn transcript(kit: &dyn Kit, entries: &str) {
    let bot = kit.card().bots.iter().find(|bot| !bot.thinks);
    let setup = DialogueSetup {
        bot: bot.map_or("", |bot| bot.name).to_owned(),
        seed: 1,
        opening: json!({"name": "drover", "hub": ""}),
        ..DialogueSetup::default()
    };
    let Ok(mut dialogue) = kit.dialogue(&setup) else {
        return;
    };
    let parts = entries.split(char::from(BETWEEN)).take(ENTRIES_MAX);
    let lines = parts.map(|text| match text.strip_prefix('<') {
        Some(text) => (Direction::In, text),
        None => (Direction::Out, text),
    });
    let lines = lines.map(|(direction, text)| Line { direction, text });
    let _ = replay(&mut *dialogue, lines);
    let _ = (dialogue.hung_up(), dialogue.facts(), dialogue.lessons());
    if let Some(scene) = dialogue.scene() {
        let _ = (kit.card().picture)(&scene.state, &Names::default());
    }
}
