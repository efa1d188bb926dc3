//! The text of the wire (README.md, section 2): an arbiter's commands, a player's replies.

use super::cards::{Card, Deck, DeckError};
use super::rules::{Act, Ask, Game, PlannedDeal};
use drover_game::dialect::ReplyLine;
use drover_game::game::{Illegal, Seat};

/// Longest line of a reply, in bytes (B4.16).
pub const REPLY_LINE_MAX: usize = 1_024;
/// The most digits of a command's number, because it is echoed.
pub const ID_LEN_MAX: usize = 20;
/// Bytes kept of what a player says in addition (B4.5).
const TEXT_MAX: usize = 256;
/// A reply that only agrees.
pub const YES: &str = "=\n";

/// A command of an arbiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing: a blank line, which gets no reply.
    Blank,
    /// `set_deck V C`.
    SetDeck(Deck),
    /// `set_players n i`.
    SetPlayers {
        /// The number of players.
        players: usize,
        /// The reader's own seat.
        own: Seat,
    },
    /// `set_game d c1 s1 …`.
    SetGame(Vec<PlannedDeal>),
    /// `set_cards c K1 …`; cards as written.
    SetCards(Vec<String>),
    /// `time_left t`, in milliseconds for the rest of the game.
    TimeLeft(i64),
    /// `gen_declare`.
    GenDeclare,
    /// `declare i l`.
    Declare(Seat, u8),
    /// `gen_move`.
    GenMove,
    /// `play i K`; the card as written.
    Play(Seat, String),
    /// `quit`.
    Quit,
    /// Any other word.
    Unknown(String),
}

/// A command line with the number that a player may echo, as in GTP (B4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The leading number, as written.
    pub id: Option<String>,
    /// The command; else why it cannot be read, for the reply.
    pub command: Result<Command, CommandError>,
}

/// Why a command cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// What should be a number, and the word that is none.
    #[error("{0} must be a number, not {1:?}")]
    NoNumber(&'static str, String),
    /// Deals, and numbers for them, which should be two each.
    #[error("{0} deals need {need} numbers, not {1}", need = .0.saturating_mul(2))]
    Deals(usize, usize),
    /// Cards that are announced and given.
    #[error("{0} cards are announced, {1} given")]
    Cards(usize, usize),
    /// A command, and how many words came with it.
    #[error("{0} does not take {1} words")]
    Words(String, usize),
    /// A number too many or too few for deals.
    #[error("a deal is two numbers: cards and leader")]
    OddDeals,
    /// Letters that make no deck.
    #[error(transparent)]
    Deck(#[from] DeckError),
}

/// A line without its control characters except tabs (B4.2).
#[must_use]
pub fn clean(line: &[u8]) -> String {
    String::from_utf8_lossy(line)
        .chars()
        .filter(|letter| !letter.is_control() || *letter == '\t')
        .collect()
}

/// Reads a command line.
#[must_use]
pub fn read(line: &[u8]) -> Line {
    let text = clean(line);
    let mut words = text.split_whitespace().peekable();
    let numeric =
        |word: &&str| word.len() <= ID_LEN_MAX && word.bytes().all(|byte| byte.is_ascii_digit());
    let id = words.next_if(numeric).map(str::to_owned);
    let command = match words.next() {
        None => Ok(Command::Blank),
        Some(word) => command(word, &words.collect::<Vec<_>>()),
    };
    Line { id, command }
}

fn number<T: std::str::FromStr>(word: &str, what: &'static str) -> Result<T, CommandError> {
    let wrong = |_| CommandError::NoNumber(what, word.to_owned());
    word.parse().map_err(wrong)
}

fn command(word: &str, rest: &[&str]) -> Result<Command, CommandError> {
    match (word, rest) {
        ("set_deck", [values, suits]) => Ok(Command::SetDeck(Deck::new(values, suits)?)),
        ("set_players", [players, own]) => Ok(Command::SetPlayers {
            players: number(players, "the number of players")?,
            own: Seat(number(own, "the own number")?),
        }),
        ("set_game", [count, deals @ ..]) => {
            let (count, given) = (number::<usize>(count, "the number of deals")?, deals.len());
            if given != count.saturating_mul(2) {
                return Err(CommandError::Deals(count, given));
            }
            planned(deals).map(Command::SetGame)
        }
        ("set_cards", [count, cards @ ..]) => {
            let (count, given) = (number(count, "the number of cards")?, cards.len());
            if given != count {
                return Err(CommandError::Cards(count, given));
            }
            Ok(Command::SetCards(
                cards.iter().map(|card| (*card).to_owned()).collect(),
            ))
        }
        ("time_left", [time]) => Ok(Command::TimeLeft(number(time, "the time")?)),
        ("gen_declare", []) => Ok(Command::GenDeclare),
        ("declare", [seat, tricks]) => Ok(Command::Declare(
            Seat(number(seat, "the player")?),
            number(tricks, "the declaration")?,
        )),
        ("gen_move", []) => Ok(Command::GenMove),
        ("play", [seat, card]) => Ok(Command::Play(
            Seat(number(seat, "the player")?),
            (*card).to_owned(),
        )),
        ("quit", _) => Ok(Command::Quit),
        (
            "set_deck" | "set_players" | "set_game" | "set_cards" | "time_left" | "gen_declare"
            | "declare" | "gen_move" | "play",
            _,
        ) => Err(CommandError::Words(word.to_owned(), rest.len())),
        _ => Ok(Command::Unknown(word.to_owned())),
    }
}

/// The pairs of `set_game`: cards and leader of each deal.
///
/// # Errors
/// [`CommandError`] names what is not a number.
pub fn planned(words: &[&str]) -> Result<Vec<PlannedDeal>, CommandError> {
    let deals = words.chunks(2).map(|pair| match pair {
        [cards, leader] => Ok(PlannedDeal {
            cards: number(cards, "the number of cards")?,
            leader: Seat(number(leader, "the leader")?),
        }),
        _ => Err(CommandError::OddDeals),
    });
    deals.collect()
}

/// `set_deck`.
#[must_use]
pub fn set_deck(deck: &Deck) -> String {
    format!("set_deck {} {}", deck.values(), deck.suits())
}

/// `set_players`.
#[must_use]
pub fn set_players(players: usize, own: Seat) -> String {
    format!("set_players {players} {}", own.0)
}

/// `set_game`.
#[must_use]
pub fn set_game(game: &Game) -> String {
    let mut text = format!("set_game {}", game.deals().len());
    for deal in game.deals() {
        text.push_str(&format!(" {} {}", deal.cards, deal.leader.0));
    }
    text
}

/// `set_cards`.
#[must_use]
pub fn set_cards(deck: &Deck, hand: &[Card]) -> String {
    let mut text = format!("set_cards {}", hand.len());
    for card in hand {
        text.push(' ');
        text.push_str(&deck.text(*card));
    }
    text
}

/// `declare`.
#[must_use]
pub fn declare(seat: Seat, tricks: u8) -> String {
    format!("declare {} {tricks}", seat.0)
}

/// `play`.
#[must_use]
pub fn play(deck: &Deck, seat: Seat, card: Card) -> String {
    format!("play {} {}", seat.0, deck.text(card))
}

/// A player's first line: whether it agrees, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// `=`; else `?`.
    pub yes: bool,
    /// The rest, without surrounding blanks.
    pub payload: String,
}

/// Reads the first line of a reply; `None` if it begins with neither `=` nor `?`.
#[must_use]
pub fn receive(line: &str) -> Option<Said> {
    let mut letters = line.chars();
    let yes = match letters.next()? {
        '=' => true,
        '?' => false,
        _ => return None,
    };
    Some(Said {
        yes,
        payload: letters.as_str().trim().to_owned(),
    })
}

/// What a line is of a reply; `begun`: its first line came before. `None`: it begins with neither `=` nor `?`, as a
/// first line must.
#[must_use]
pub fn reply_line(begun: bool, line: &str) -> Option<ReplyLine> {
    match (line.trim().is_empty(), begun) {
        (true, true) => Some(ReplyLine::Last),
        (true, false) => Some(ReplyLine::Blank),
        (false, true) => Some(ReplyLine::More),
        (false, false) => receive(line).map(|_| ReplyLine::More),
    }
}

/// The act of a whole reply to a message that asks for this, read leniently (B4.6).
///
/// # Errors
/// [`Illegal`] says what it is instead.
pub fn act(deck: &Deck, message: &[u8], ask: Ask, reply: &str) -> Result<Act, Illegal> {
    let first = clean(reply.lines().next().unwrap_or_default().as_bytes());
    let said = receive(&first).filter(|said| said.yes);
    let said = said.ok_or_else(|| Illegal(format!("{first:?} does not say yes")))?;
    // A number that is echoed follows the sign at once.
    let id = read(message).id;
    let echoed = id.and_then(|id| first.get(1..)?.strip_prefix(&*id));
    let payload = echoed.unwrap_or(&said.payload);
    match ask {
        Ask::Declare => tricks(payload, true)
            .map(Act::Declare)
            .ok_or_else(|| Illegal(format!("{first:?} declares no number of tricks"))),
        Ask::Play => card(deck, payload, true)
            .map(Act::Play)
            .ok_or_else(|| Illegal(format!("{first:?} names no card of the deck"))),
    }
}

/// Reads a declaration. Strict: one plain number; lenient: the first word, with sign or leading zeros (B4.6).
#[must_use]
pub fn tricks(payload: &str, lenient: bool) -> Option<u8> {
    let word = only_word(payload, lenient)?;
    let number: u8 = word.parse().ok()?;
    (lenient || number.to_string() == word).then_some(number)
}

/// Reads a card. Strict: one word; lenient: the first word.
#[must_use]
pub fn card(deck: &Deck, payload: &str, lenient: bool) -> Option<Card> {
    deck.read(only_word(payload, lenient)?)
}

fn only_word(payload: &str, lenient: bool) -> Option<&str> {
    let mut words = payload.split_whitespace();
    let word = words.next()?;
    (lenient || words.next().is_none()).then_some(word)
}

/// Why a first line is none of a reply.
#[must_use]
pub fn neither(line: &str) -> String {
    format!("its reply {:?} begins with neither = nor ?", cut(line))
}

/// The part of a text that is kept of what a player says in addition (B4.5).
#[must_use]
pub fn cut(text: &str) -> String {
    let ends = text
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    let end = ends
        .take_while(|end| *end <= TEXT_MAX)
        .last()
        .unwrap_or_default();
    text.get(..end).unwrap_or_default().to_owned()
}

/// Whether an answer is legal in form, whatever the rules say.
///
/// # Errors
/// [`Illegal`] says what a reader would not take.
pub fn in_form(message: &[u8], answer: &str) -> Result<(), Illegal> {
    let asked = read(message);
    let wrong = |why| Err(Illegal(why));
    let Some((first, "")) = answer.split_once('\n') else {
        return wrong(format!("{answer:?} is not one line with its end"));
    };
    if first.len() > REPLY_LINE_MAX {
        return wrong(format!("a line of {} bytes", first.len()));
    }
    let Some(said) = receive(first) else {
        return wrong(format!("{first:?} is neither yes nor no"));
    };
    let id = asked.id.unwrap_or_default();
    let payload = said.payload.strip_prefix(&id).unwrap_or(&said.payload);
    let one_word = payload.split_whitespace().count() == 1;
    let legal = match asked.command {
        Ok(Command::GenDeclare) => said.yes && tricks(payload.trim(), false).is_some(),
        Ok(Command::GenMove) => said.yes && one_word,
        _ => true,
    };
    match legal {
        true => Ok(()),
        false => wrong(format!("{first:?} is no answer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_and_without_numbers() {
        let said = |line: &str| read(line.as_bytes()).command;
        assert_eq!(said("gen_move\r"), Ok(Command::GenMove));
        assert_eq!(said("  \t "), Ok(Command::Blank));
        assert_eq!(said("play 3 AS"), Ok(Command::Play(Seat(3), "AS".into())));
        assert_eq!(said("fly"), Ok(Command::Unknown("fly".into())));
        let line = read(b"17 time_left 20");
        assert_eq!(line.id.as_deref(), Some("17"));
        assert_eq!(line.command, Ok(Command::TimeLeft(20)));
        for wrong in [
            "set_game 2 1 0",
            "set_cards 2 AS",
            "play 1",
            "time_left x",
            "set_deck A",
        ] {
            assert!(said(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_whole_reply_is_an_act() {
        let deck = Deck::contest();
        let read = |message: &str, ask, reply: &str| act(&deck, message.as_bytes(), ask, reply);
        let spades = Act::Play(deck.read("AS").unwrap());
        for (message, reply) in [
            ("gen_move", "= AS\n"),
            ("17 gen_move", "=17 AS\nfor its suit\n"),
            ("17 gen_move", "= AS 0.9\r\n"),
        ] {
            assert_eq!(read(message, Ask::Play, reply), Ok(spades), "{reply:?}");
        }
        let two = Ok(Act::Declare(2));
        assert_eq!(read("2 gen_declare", Ask::Declare, "= 2\n"), two);
        assert_eq!(read("2 gen_declare", Ask::Declare, "=2 +2\n"), two);
        for (ask, reply, why) in [
            (Ask::Play, "? no\n", "does not say yes"),
            (Ask::Play, "", "does not say yes"),
            (Ask::Play, "= ZZ\n", "names no card of the deck"),
            (Ask::Declare, "= AS\n", "declares no number of tricks"),
        ] {
            let error = read("gen", ask, reply).unwrap_err();
            assert!(error.0.ends_with(why), "{reply:?}: {error}");
        }
    }

    #[test]
    fn replies_are_read_as_strictly_as_asked() {
        let yes = |line: &str| receive(line).map(|said| (said.yes, said.payload));
        assert_eq!(yes("= AS"), Some((true, "AS".into())));
        assert_eq!(yes("=\tAS "), Some((true, "AS".into())));
        assert_eq!(yes("=AS"), Some((true, "AS".into())));
        assert_eq!(yes("? no"), Some((false, "no".into())));
        assert_eq!(yes("AS"), None);
        assert_eq!(tricks("3", false), Some(3));
        for lenient in ["+3", "03", "3 ok"] {
            assert_eq!(tricks(lenient, false), None, "{lenient}");
            assert_eq!(tricks(lenient, true), Some(3), "{lenient}");
        }
        for never in ["", "-1", "x", "300", "3.0"] {
            assert_eq!(tricks(never, true), None, "{never}");
        }
        let deck = Deck::contest();
        assert_eq!(card(&deck, "AS ok", false), None);
        assert_eq!(card(&deck, "AS ok", true), deck.read("AS"));
        assert_eq!(card(&deck, "as", true), None);
    }
}
