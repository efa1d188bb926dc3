//! What the players of a stored match are called.

use crate::history::{SessionRow, public_spec};
use crate::store::{MatchRow, SeatRow};
use games::neutral::BUILT_IN;
use games::scene::Names;
use games::{Kit, Places};

/// The names by seat, an entrant in its colour: the entrant's or player's, else the bot's, and nothing of what may be its
/// owner's secret. Behind a command or an address that is our bot, if its session is in the same match, or else nobody but a player by its number.
#[must_use]
pub fn seat_names(seats: &[SeatRow]) -> Names {
    let name = |row: &SeatRow| {
        let spec = || match public_spec(row.bot.as_ref().unwrap_or(&row.spec)) {
            "cmd" | "url" => format!("player {}", u16::from(row.seat) + 1),
            spec => spec.strip_prefix(BUILT_IN).unwrap_or(spec).to_owned(),
        };
        let name = row.known_as().map_or_else(spec, str::to_owned);
        Some(name).filter(|name| !name.is_empty())
    };
    let count = seats.iter().map(|row| usize::from(row.seat) + 1).max();
    let mut names = vec![None; count.unwrap_or_default()];
    for row in seats {
        if let Some(known) = names.get_mut(usize::from(row.seat)) {
            *known = name(row);
        }
    }
    let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
    let mut numbers = vec![None; names.len()];
    for row in seats {
        if let Some(own) = numbers.get_mut(usize::from(row.seat)) {
            *own = row.number;
        }
    }
    Names::by_seat(&names).coloured(&numbers)
}

/// The names by place in the states that a session's seat sees; without one, in those of the whole table. Who has which
/// number on the wire is shown once the match is `open`; before, a seat knows its own.
pub(super) fn names_in(
    kit: &dyn Kit,
    row: &MatchRow,
    session: Option<&SessionRow>,
    open: bool,
) -> Names {
    let names = seat_names(&row.seats);
    let numbers = || {
        kit.card().teams?;
        kit.card().numbers_of(&row.setup.to_string())
    };
    let Some(session) = session else {
        // Those who see the whole table see that, too.
        return names.numbered(numbers());
    };
    match (session.opened.seat, kit.card().places) {
        // Of others' matches the seats are counted from ours.
        (seat, Places::Named(_)) => names.clockwise_from(seat.unwrap_or(0).into()),
        // Where the wire gives no seat, its numbers are not those of our seats.
        (None, _) => Names::default(),
        (Some(_), _) if open => names.numbered(numbers()),
        // Its own it is sent.
        (Some(seat), _) => {
            let own = numbers().and_then(|all| all.get(usize::from(seat)).copied());
            names.numbered_at(seat.into(), own)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::seat_names;
    use crate::store::SeatRow;

    #[test]
    fn a_seat_is_called_by_its_name_or_by_what_may_be_public_of_its_player() {
        let shown = |spec: &str, name: Option<&str>| {
            let row = SeatRow {
                spec: spec.to_owned(),
                name: name.map(str::to_owned),
                ..SeatRow::default()
            };
            seat_names(&[row]).name(0)
        };
        assert_eq!(shown("bot:mybot@2", None), "bot:mybot@2");
        assert_eq!(shown("builtin:guide", None), "guide");
        // Neither their words nor of what kind they are is a name.
        for spec in [
            "cmd:/home/ann/secret --key 7",
            "url:http://127.0.0.1/ann",
            "cmd",
            "url",
        ] {
            assert_eq!(shown(spec, None), "player 1");
        }
        assert_eq!(shown("cmd:/home/ann/secret", Some("Ann")), "Ann");
        assert_eq!(shown("", None), "Seat 1");
        let ours = SeatRow {
            spec: "url:http://127.0.0.1/koehandel/guide".to_owned(),
            bot: Some("guide".to_owned()),
            ..SeatRow::default()
        };
        assert_eq!(seat_names(&[ours]).name(0), "guide");
    }
}
