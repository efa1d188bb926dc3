//! What players are called wherever a person reads, and the places in texts where their names belong.
//!
//! A game does not know its players' names. Where a sentence names a player, it holds a [`Who`]: one letter that
//! [`Names::fill`] replaces. A picture is given the names and draws them.

use super::classes::{COLOURS, player};
use std::fmt::{self, Display, Write as _};

/// The letters that stand for players, from here on: Unicode leaves them to private use.
const FIRST: u32 = 0xE000;
/// Places that have such a letter, and then numbers on the wire; those beyond share the last one.
const PLACES_MAX: u32 = 512;
/// Letters of a name that are shown.
const NAME_CHARS_MAX: usize = 32;

/// The player at a place of a state, in a sentence to be filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who(pub usize);

/// The player with this number on the wire, where a seat knows no more of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered(pub u32);

impl Display for Who {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        letter(u32::try_from(self.0).unwrap_or(u32::MAX), FIRST, out)
    }
}

impl Display for Numbered {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        letter(self.0, FIRST + PLACES_MAX, out)
    }
}

fn letter(number: u32, first: u32, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let letter = char::from_u32(first + number.min(PLACES_MAX - 1));
    out.write_char(letter.unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// A player, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    /// Its seat, from 0.
    seat: usize,
    /// The number of its colour, from 0: that of its seat, unless it has one of its own.
    colour: usize,
    label: String,
}

/// What the players of a match are called, by their places in its states. A player that is not known is called by its
/// seat, and the first seat is 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    players: Vec<Shown>,
    /// Each player's number on the wire, where it is another than its place, and public.
    numbers: Vec<Option<u32>>,
}

impl Names {
    /// The names by seat; one that several have gets its seat added. Letters that would turn a line round or stand for
    /// other players are replaced.
    #[must_use]
    pub fn by_seat(names: &[Option<&str>]) -> Self {
        let names: Vec<Option<String>> = names
            .iter()
            .map(|name| name.map(|name| cut(&harmless(name), NAME_CHARS_MAX)))
            .collect();
        let label = |(seat, name): (usize, &Option<String>)| {
            let alike = names.iter().filter(|other| *other == name).count();
            let label = match name {
                None => unnamed(seat),
                Some(name) if alike == 1 => name.clone(),
                Some(name) => {
                    let label = format!("{name} {}", seat + 1);
                    match names.iter().flatten().any(|other| *other == label) {
                        true => format!("{name} (seat {})", seat + 1),
                        false => label,
                    }
                }
            };
            Shown {
                seat,
                colour: seat,
                label,
            }
        };
        Self {
            players: names.iter().enumerate().map(label).collect(),
            numbers: Vec::new(),
        }
    }

    /// How many players have one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.players.len()
    }

    /// The same with these colours by seat: the number of each player who has one, from 0, wherever else it plays. Of two
    /// who would look alike, and for those who have none, it is the next one that is free.
    #[must_use]
    pub fn coloured(mut self, numbers: &[Option<usize>]) -> Self {
        let number = |seat: usize| numbers.get(seat).copied().flatten();
        let mut taken: Vec<(Option<usize>, usize)> = Vec::new();
        let mut order: Vec<&mut Shown> = self.players.iter_mut().collect();
        order.sort_by_key(|shown| number(shown.seat).is_none());
        for shown in order {
            let own = number(shown.seat);
            let known = taken
                .iter()
                .find(|(other, _)| own.is_some() && *other == own);
            let first = own.unwrap_or(shown.seat);
            let mut free = (first..first + COLOURS).map(|colour| colour % COLOURS);
            let free = free.find(|colour| taken.iter().all(|(_, other)| other != colour));
            shown.colour = known.map_or(free.unwrap_or(first), |(_, colour)| *colour);
            taken.push((own, shown.colour));
        }
        self
    }

    /// The same from a seat's eyes, where places are counted clockwise from it.
    #[must_use]
    pub fn clockwise_from(mut self, seat: usize) -> Self {
        if let Some(first) = seat.checked_rem(self.players.len()) {
            self.players.rotate_left(first);
        }
        self
    }

    /// The same with each player's number on the wire.
    #[must_use]
    pub fn numbered(self, numbers: Option<Vec<u32>>) -> Self {
        let numbers = numbers.into_iter().flatten().map(Some).collect();
        Self { numbers, ..self }
    }

    /// The same with the number on the wire of the player at one place alone.
    #[must_use]
    pub fn numbered_at(self, place: usize, number: Option<u32>) -> Self {
        let mut numbers = vec![None; self.players.len()];
        if let Some(known) = numbers.get_mut(place) {
            *known = number;
        }
        Self { numbers, ..self }
    }

    /// What the player at a place is called.
    #[must_use]
    pub fn name(&self, place: usize) -> String {
        let shown = self.players.get(place);
        shown.map_or_else(|| unnamed(place), |shown| shown.label.clone())
    }

    /// The same in a number of letters at most, with its seat where that belongs to it.
    #[must_use]
    pub fn short(&self, place: usize, chars: usize) -> String {
        shortened(self.name(place), chars)
    }

    /// The seat, from 0, of the player at a place.
    #[must_use]
    pub fn seat(&self, place: usize) -> usize {
        self.players.get(place).map_or(place, |shown| shown.seat)
    }

    /// The class of the player at a place: the same for a seat in every view of a match.
    #[must_use]
    pub fn colour(&self, place: usize) -> &'static str {
        let shown = self.players.get(place);
        player(shown.map_or(place, |shown| shown.colour))
    }

    /// The place of the player with this number on the wire, where that is known.
    #[must_use]
    pub fn place_of(&self, number: u32) -> Option<usize> {
        let mut numbers = self.numbers.iter();
        numbers.position(|known| *known == Some(number))
    }

    /// What the player with this number on the wire is called.
    #[must_use]
    pub fn of_number(&self, number: u32) -> String {
        let place = self.place_of(number);
        place.map_or_else(|| format!("Player {number}"), |place| self.name(place))
    }

    /// The seat, from 0, of the player whom a sentence begins with that is to be filled in, where it is known.
    #[must_use]
    pub fn subject(&self, sentence: &str) -> Option<u8> {
        let number = u32::from(sentence.chars().next()?).checked_sub(FIRST)?;
        let place = match number.checked_sub(PLACES_MAX) {
            Some(number) => self.place_of(number)?,
            None => number as usize,
        };
        u8::try_from(self.players.get(place)?.seat).ok()
    }

    /// A sentence with the names in it.
    #[must_use]
    pub fn fill(&self, sentence: &str) -> String {
        let mut filled = String::with_capacity(sentence.len());
        for letter in sentence.chars() {
            match u32::from(letter).checked_sub(FIRST) {
                Some(place) if place < PLACES_MAX => filled.push_str(&self.name(place as usize)),
                Some(number) if number < 2 * PLACES_MAX => {
                    filled.push_str(&self.of_number(number - PLACES_MAX));
                }
                _ => filled.push(letter),
            }
        }
        filled
    }
}

fn unnamed(seat: usize) -> String {
    format!("Seat {}", seat + 1)
}

/// A name without letters that change how what is around it reads.
fn harmless(name: &str) -> String {
    let is_odd = |letter: char| {
        matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{e000}'..='\u{f8ff}')
    };
    name.replace(is_odd, "\u{fffd}")
}

/// A name in a number of letters at most, with its seat where that belongs to it.
fn shortened(name: String, chars: usize) -> String {
    if name.chars().count() <= chars {
        return name;
    }
    let is_seat = |added: &str| {
        let inner = added.strip_prefix("(seat ");
        let number = inner.and_then(|rest| rest.strip_suffix(')'));
        number.unwrap_or(added).parse::<u8>().is_ok()
    };
    let spaces = [name.rfind(" (seat "), name.rfind(' ')];
    let mut ends = spaces.into_iter().flatten().map(|at| name.split_at(at));
    match ends.find(|(_, seat)| is_seat(seat.trim_start())) {
        Some((name, seat)) => {
            let room = chars.saturating_sub(seat.len()).max(1);
            format!("{}{seat}", cut(name, room))
        }
        None => cut(&name, chars),
    }
}

/// The first letters of a text, with a sign where that is not all of it.
fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(chars.saturating_sub(1)).collect();
            kept.trim_end().to_owned() + "…"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, Numbered, Who};

    #[test]
    fn a_name_that_two_have_gets_its_seat() {
        let names = Names::by_seat(&[Some("champion"), Some("guide"), Some("champion"), None]);
        let sentence = format!("{} meets {}, {} and {}", Who(0), Who(1), Who(2), Who(3));
        assert_eq!(
            names.fill(&sentence),
            "champion 1 meets guide, champion 3 and Seat 4"
        );
        assert_eq!(names.short(2, 8), "champ… 3");
        assert_eq!(names.short(1, 8), "guide");
        assert_eq!(Names::default().fill(&Who(1).to_string()), "Seat 2");
        let names = Names::by_seat(&[Some("team"), Some("team"), Some("team 2")]);
        let called = [0, 1, 2].map(|place| names.name(place));
        assert_eq!(called, ["team 1", "team (seat 2)", "team 2"]);
        assert_eq!(names.short(1, 12), "te… (seat 2)");
    }

    #[test]
    fn a_seat_keeps_its_name_and_colour_in_every_view() {
        let all = Names::by_seat(&[Some("a"), Some("b"), None, Some("d")]);
        let own = all.clone().clockwise_from(3);
        for place in 0..4 {
            let seat = (3 + place) % 4;
            assert_eq!(own.name(place), all.name(seat));
            assert_eq!(own.colour(place), all.colour(seat));
        }
        assert_eq!(own.name(3), "Seat 3");
        let numbered = all.numbered(Some(vec![4, 1, 3, 2]));
        assert_eq!(
            (numbered.place_of(2), numbered.place_of(9)),
            (Some(3), None)
        );
        assert_eq!(own.place_of(2), None);
        let sentence = format!("{} meets {}", Numbered(1), Numbered(7));
        assert_eq!(numbered.fill(&sentence), "b meets Player 7");
        assert_eq!(own.fill(&sentence), "Player 1 meets Player 7");
        let subjects = [&numbered, &own].map(|names| names.subject(&sentence));
        assert_eq!(subjects, [Some(1), None]);
        let begins = |names: &Names, words: &str| names.subject(&format!("{words}{} wins", Who(1)));
        assert_eq!((begins(&own, ""), begins(&own, "then ")), (Some(0), None));
        assert_eq!(begins(&Names::default(), ""), None);
        let alone = own.numbered_at(2, Some(7));
        assert_eq!(alone.fill(&sentence), "Player 1 meets b");
    }

    #[test]
    fn who_has_a_colour_has_it_on_every_seat() {
        let names = Names::by_seat(&[Some("a"), Some("b"), Some("c"), Some("d"), Some("e")]);
        let colours = |names: &Names| [0, 1, 2, 3, 4].map(|place| names.colour(place));
        assert_eq!(
            colours(&names.clone().coloured(&[])),
            ["s-p0", "s-p1", "s-p2", "s-p3", "s-p4"]
        );
        // The third one would look like the first, the fourth is the first again, and the last has none.
        let own = [Some(4), Some(1), Some(14), Some(4), None];
        let names = names.coloured(&own);
        let expected = ["s-p4", "s-p1", "s-p5", "s-p4", "s-p6"];
        assert_eq!(colours(&names), expected);
        assert_eq!(names.clockwise_from(1).colour(0), "s-p1");
    }

    #[test]
    fn long_and_odd_names_stay_within_their_room() {
        let long = "x".repeat(90);
        let names = Names::by_seat(&[Some(&long), Some(""), Some(&long)]);
        assert_eq!(names.name(0), format!("{}… 1", &long[..31]));
        assert_eq!(names.short(0, 10), "xxxxxxx… 1");
        assert_eq!(names.name(1), "");
        let odd = format!("a{}b\u{202e}c (seat of honour)", Who(1));
        let names = Names::by_seat(&[Some(&odd), Some("bob")]);
        assert_eq!(
            names.fill(&Who(0).to_string()),
            "a\u{fffd}b\u{fffd}c (seat of honour)"
        );
        assert_eq!(names.short(0, 8), "a\u{fffd}b\u{fffd}c (…");
        assert_eq!(Names::default().clockwise_from(3).name(0), "Seat 1");
    }
}
