//! Every form in which the database holds more than a plain column, read from any bytes.

use super::records::{MatchEntry, SessionRow};
use super::refold::{Transcript, fold_player};
use super::secrecy::Secrecy;
use super::types::{Direction, Durability, EntryId, NewSession, SessionId, Side};
use super::{matches, rows, startup};
use games::{Fact, Kit};
use serde_json::{Value, json};

/// The first byte of an input that is a transcript; its second one is the game, from `0`.
const TRANSCRIPT: u8 = b'T';
/// The byte between two entries of such an input; those that begin with `<` came in.
const BETWEEN: u8 = 0x1E;
/// Entries of such an input that are folded.
const ENTRIES_MAX: usize = 32;

/// Reads bytes as stored heads, live sessions, seats, scores, setups, models and transcripts. For the fuzz
/// targets: a panic is a finding.
pub fn fuzz(data: &[u8]) {
    if let Ok(heads) = startup::unpack(data) {
        let packed = startup::pack(heads.iter().map(|(session, head)| (*session, *head)));
        assert_eq!(startup::unpack(&packed).ok(), Some(heads));
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let [TRANSCRIPT, game, entries @ ..] = data {
        let number = usize::from(game.saturating_sub(b'0'));
        if let Some(kit) = games::ALL.get(number) {
            let _ = fold_player(&transcript(*kit, entries), &[], *kit);
        }
        return;
    }
    let _ = startup::live_rows(text);
    let _ = matches::seats(text);
    let _ = rows::scores(text);
    if let Ok(value) = rows::json(text) {
        for kit in games::ALL {
            read(*kit, &value, text);
        }
    }
}

/// Reads a JSON column as what a game keeps in it.
fn read(kit: &dyn Kit, value: &Value, text: &str) {
    if let Ok(table) = kit.reopen(value) {
        let _ = (table.outcome(), table.setup());
    }
    let merged = kit.merge_model(Some(value), value);
    let _ = (
        kit.show_model(value),
        kit.show_model(&merged),
        kit.teams(text),
    );
    for kind in ["bluff", "trade", "result"] {
        let (kind, data) = (kind.to_owned(), value.clone());
        let _ = kit.bluff(&Fact { kind, data });
    }
}

/// The transcript of the game's weakest bot.
fn transcript(kit: &dyn Kit, entries: &[u8]) -> Transcript {
    let bot = kit.bots().iter().find(|bot| !bot.thinks);
    let bot = bot.map_or("", |bot| bot.name).to_owned();
    let id = SessionId(1);
    let entry = |(seq, text): (u64, &[u8])| {
        let (direction, text) = match text.strip_prefix(b"<") {
            Some(text) => (Direction::In, text),
            None => (Direction::Out, text),
        };
        MatchEntry {
            id: EntryId(1),
            session: id,
            side: Side::Player,
            seat: None,
            bot: bot.clone(),
            seq,
            at_us: 0,
            direction,
            text: String::from_utf8_lossy(text).into_owned(),
        }
    };
    let parts = entries.split(|byte| *byte == BETWEEN).take(ENTRIES_MAX);
    let entries = (0..).zip(parts).map(entry).collect();
    let opened = NewSession {
        match_id: String::new(),
        side: Side::Player,
        game: kit.game().to_owned(),
        bot: bot.clone(),
        referee: String::new(),
        market: 1,
        player: 1,
        seat: None,
        seed: 1,
        setup: json!({"opening": {"name": "drover", "hub": ""}}),
        durability: Durability::Power,
    };
    let secrecy = Secrecy {
        side: Side::Player,
        bot,
        entrant: None,
        over_us: None,
    };
    Transcript {
        session: SessionRow {
            id,
            opened,
            secrecy,
            opened_us: 0,
            last_entry: None,
            entries: None,
            ended_us: None,
            cause: Some(games::Cause::Normal),
            detail: String::new(),
            scores: Vec::new(),
        },
        entries,
        counted: None,
    }
}
