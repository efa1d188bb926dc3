//! How a session begins: number, seed, match, rivals.

use super::bot_address::Key;
use super::core::{Rows, SessionState};
use super::message::{Opening, Place};
use super::program::{self, Program};
use super::registry::Registry;
use crate::programs::Launch;
use crate::replay::PROGRAM;
use crate::simulated;
use crate::store::types::{Follows, LiveSession, MatchRow, NewSession, SeatRow, Side};
use games::Wire;
use games::neutral::PREFIX;
use games::seat::Quarantine;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What a session begins with.
pub(super) struct Beginning<'a> {
    pub(super) place: Place,
    pub(super) at_us: i64,
    /// Whether its first messages were not received.
    pub(super) late: bool,
    /// The match that its key has just left.
    pub(super) left: Option<&'a str>,
    /// The match that is live under its market, where another replica may have begun it.
    pub(super) live: Option<&'a str>,
    /// The session that its key had before, where another replica may begin one.
    pub(super) follows: Option<Follows>,
    /// What its transport knows of it.
    pub(super) opening: Option<&'a Opening>,
    /// The program that plays it, if its bot is one.
    pub(super) launch: Option<Arc<Launch>>,
}

/// A session with nothing in its transcript.
pub(super) fn open(registry: &Registry, key: &Key, beginning: Beginning<'_>) -> SessionState {
    let Beginning { at_us, opening, .. } = beginning;
    let identities = &registry.dependencies.identities;
    let identity = identities
        .find(key.bot.referee(), key.market, key.id)
        .or_else(|| identities.find_line(opening?.line?));
    // Seats of a match that somebody else referees are counted from our first session; where
    // further ones sit is not known.
    let (match_id, seat) = match &identity {
        Some(identity) => {
            registry.groups().join_known(key, &identity.row.id);
            (identity.row.id.as_str().into(), Some(identity.seat))
        }
        None => {
            let by_market = key.bot.kit().card().wire == Wire::Callbacks;
            let other = |live: &&str| by_market && Some(*live) != beginning.left;
            let live = beginning.live.filter(other);
            let (id, first) = registry.groups().join(key, beginning.left, live);
            let seating = opening.and_then(|opening| opening.seating);
            let seat = seating.map_or(0, |seating| seating.seat.0);
            (id, first.then_some(seat))
        }
    };
    let rivals = match &identity {
        Some(identity) => identity.rivals.clone(),
        None => identities.rivals(key.player(), seat.is_some()),
    };
    let session = row(registry, key, &beginning, &rivals, match_id, seat);
    let match_ = match &identity {
        Some(identity) => MatchRow::clone(&identity.row),
        None => foreign_match(key, &session, at_us, opening, &rivals),
    };
    registry.meters.opened(key.bot.kit().card().name);
    let begun = LiveSession {
        id: registry.dependencies.store.next_session(),
        opened: session.clone(),
        head: None,
        seq: 0,
        last_us: at_us,
    };
    let Beginning {
        place,
        launch,
        follows,
        ..
    } = beginning;
    let program = Program::for_session(&registry.dependencies, &session, launch);
    let own = registry.own_seat(key.bot.kit(), program.as_deref());
    let mut opened = SessionState::found(begun, Some(place.slot), own);
    opened.own.quarantine = Quarantine::Clear;
    opened.begun = place.begun;
    opened.program = program;
    opened.rows = Some(Box::new(Rows {
        session,
        match_,
        follows,
    }));
    opened
}

/// The row of a session that begins, in this match and on this seat.
fn row(
    registry: &Registry,
    key: &Key,
    beginning: &Beginning<'_>,
    rivals: &[Option<String>],
    match_id: Box<str>,
    seat: Option<u8>,
) -> NewSession {
    let words = beginning.opening.map(|opening| &opening.words);
    let words = words.filter(|words| !words.is_null());
    let mut setup = setup(key, registry.options.models, beginning.late, rivals, words);
    let bot = match &beginning.launch {
        Some(launch) => {
            setup[PROGRAM] = program::noted(key.bot.name(), launch);
            format!("{PREFIX}{}@{}", launch.name, launch.version)
        }
        None => key.bot.name().to_owned(),
    };
    let game = key.bot.kit().card().name;
    NewSession {
        match_id: match_id.into(),
        side: Side::Player,
        game: game.to_owned(),
        bot,
        referee: key.bot.referee().to_owned(),
        market: key.market,
        player: key.id,
        seat,
        seed: simulated::ulid().random() as u64 >> 1,
        setup,
        durability: registry.options.durability(game),
    }
}

fn setup(
    key: &Key,
    models: bool,
    late: bool,
    rivals: &[Option<String>],
    words: Option<&Value>,
) -> Value {
    let mut setup = Map::new();
    if let Some(words) = words {
        setup.insert("opening".to_owned(), words.clone());
    }
    if models {
        setup.insert("models".to_owned(), Value::Bool(true));
    }
    if late {
        setup.insert("joined_late".to_owned(), Value::Bool(true));
    }
    let word = |clockwise| key.bot.kit().card().places.word(clockwise);
    let named: Vec<Value> = (1..)
        .zip(rivals)
        .filter_map(|(place, name)| Some(json!([word(place)?, name.as_ref()?])))
        .collect();
    if !named.is_empty() {
        setup.insert("named".to_owned(), Value::Array(named));
    }
    if setup.is_empty() {
        Value::Null
    } else {
        Value::Object(setup)
    }
}

/// The seat this many places clockwise from another, of this many.
pub(super) fn seat_at(seat: u8, place: u8, seats: usize) -> Option<u8> {
    let at = (usize::from(seat) + usize::from(place)).checked_rem(seats)?;
    u8::try_from(at).ok()
}

/// The row of a match that somebody else referees: seats are counted from ours unless the wire says,
/// and who sits on the others is known only where somebody has said so.
fn foreign_match(
    key: &Key,
    session: &NewSession,
    at_us: i64,
    opening: Option<&Opening>,
    rivals: &[Option<String>],
) -> MatchRow {
    let bot = session.bot.as_str();
    let seating = opening.and_then(|opening| opening.seating);
    let name = opening.and_then(|opening| opening.words.get("name")?.as_str());
    let most = *key.bot.kit().card().seats.end();
    let (own, seats) = seating.map_or((0, most), |opening| {
        (opening.seat.0, usize::from(opening.seats))
    });
    let named = |seat| {
        let mut places = (1..).zip(rivals);
        places.find_map(|(place, name)| {
            name.clone()
                .filter(|_| seat_at(own, place, seats) == Some(seat))
        })
    };
    MatchRow {
        id: session.match_id.to_string(),
        game: key.bot.kit().card().name.to_owned(),
        referee: key.bot.referee().to_owned(),
        market: key.market,
        started_us: at_us,
        seats: (0..seats)
            .filter_map(|seat| u8::try_from(seat).ok())
            .map(|seat| SeatRow {
                seat,
                spec: match seat {
                    seat if seat == own && bot.starts_with(PREFIX) => bot.to_owned(),
                    seat if seat == own => format!("builtin:{bot}"),
                    _ => String::new(),
                },
                name: match seat {
                    seat if seat == own => name.map(str::to_owned),
                    seat => named(seat),
                },
                ..SeatRow::default()
            })
            .collect(),
        ..MatchRow::default()
    }
}
