//! Seats on the command line: people count them from 1, everything that is stored from 0.

use super::usage::{UsageError, refuse};
use std::str::FromStr;

/// The number of a seat as people count.
pub(super) fn shown(seat: u8) -> u16 {
    u16::from(seat) + 1
}

/// The same of one that may not be known.
pub(super) fn shown_or_unknown(seat: Option<u8>) -> String {
    seat.map_or_else(|| "?".to_owned(), |seat| shown(seat).to_string())
}

/// A seat that the user names, from 1 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeatArg(u8);

impl FromStr for SeatArg {
    type Err = UsageError;

    fn from_str(text: &str) -> Result<Self, UsageError> {
        let number = text.parse().ok().filter(|number| *number > 0);
        number
            .map(Self)
            .ok_or_else(|| UsageError("seats are numbers from 1 to 255".to_owned()))
    }
}

impl SeatArg {
    /// The seat as it is stored, if the match has it; any, if nothing is known of its seats.
    ///
    /// # Errors
    /// [`UsageError`] naming the seats that there are.
    pub(super) fn among(
        self,
        match_id: &str,
        mut seats: impl Iterator<Item = u8> + Clone,
    ) -> Result<u8, UsageError> {
        let (number, seat) = (self.0, self.0 - 1);
        match seats.clone().max() {
            Some(last) if !seats.any(|own| own == seat) => refuse(format!(
                "seat {number}: the seats of match {match_id} are 1 to {}",
                shown(last)
            )),
            _ => Ok(seat),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SeatArg, shown, shown_or_unknown};

    #[test]
    fn people_count_from_one() {
        let among = |text: &str, seats: u8| {
            let seat: SeatArg = text.parse()?;
            seat.among("01K", 0..seats)
        };
        assert_eq!((among("1", 4), among("4", 4)), (Ok(0), Ok(3)));
        assert_eq!(among("255", 0), Ok(254));
        for (text, why) in [
            ("5", "seat 5: the seats of match 01K are 1 to 4"),
            ("0", "seats are numbers from 1 to 255"),
            ("256", "seats are numbers from 1 to 255"),
        ] {
            assert_eq!(among(text, 4).unwrap_err().to_string(), why);
        }
        assert_eq!((shown(0), shown(255)), (1, 256));
        assert_eq!(shown_or_unknown(None), "?");
    }
}
