//! Who is who in our own referee's matches: it registers them here, so that our sessions in the same process
//! join its match and know their rivals' names. At somebody else's referee only the announced names are known.

use crate::store::types::MatchRow;
use games::Kit;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;
use std::sync::Arc;

/// The most matches registered at once; further ones are unknown to our sessions.
const MATCHES_MAX: usize = 100_000;

/// The most letters in a name.
const NAME_LEN_MAX: usize = 64;
/// The most of our players in one match that names are announced for.
const PLAYERS_MAX: usize = 16;

/// What is known about one match of our own referee.
#[derive(Clone, Debug)]
pub struct KnownMatch {
    /// Its row, as written by the referee.
    pub row: Arc<MatchRow>,
    /// Each seat's number on the wire, by seat.
    pub ids: Vec<u64>,
}

/// What a session learns about its match.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The match's row.
    pub row: Arc<MatchRow>,
    /// The session's own seat.
    pub seat: u8,
    /// The rivals' names where known, clockwise from the session's left.
    pub rivals: Vec<Option<String>>,
}

/// One of our players in a match, as our callbacks see it.
#[derive(Clone, Copy, Debug)]
pub struct PlayerAddress<'a> {
    /// The game.
    pub game: &'a str,
    /// The referee: its name, or its address without port.
    pub referee: &'a str,
    /// The referee's number of the match.
    pub market: u64,
    /// The player's number on the wire.
    pub id: u64,
}

/// Who sits where in a match at somebody else's referee, as announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The game.
    pub game: String,
    /// The referee, as our callbacks see it: its name, or its address without port.
    pub referee: String,
    /// The referee's number of the match.
    pub market: u64,
    /// From whose seat the places are seen: the number on the wire of one of our players; `None`: of the first that
    /// joins.
    pub player: Option<u64>,
    /// Names, each by how many seats clockwise from that player it sits.
    pub rivals: Vec<(u8, String)>,
}

impl Names {
    /// Reads a file of names: a line a match, `GAME REFEREE MARKET W=alice N=bob`, with `MARKET/PLAYER` where several
    /// of our players sit there, one line for each. Blanks separate, so no name has any. Empty lines and those that
    /// begin with `#` are left out.
    ///
    /// # Errors
    /// [`NamesFileError`] says which line is wrong, and why.
    pub fn read(text: &str, find: KitOf) -> Result<Vec<Self>, NamesFileError> {
        let lines = (1..).zip(text.lines().map(str::trim));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let mut read = Vec::new();
        let mut first: HashMap<(String, String, u64, Option<u64>), usize> = HashMap::new();
        for (number, line) in lines {
            let wrong = |why| NamesFileError { number, why };
            let names = Self::line(line, find).map_err(wrong)?;
            let (game, referee) = (names.game.clone(), names.referee.clone());
            if let Some(before) = first.insert((game, referee, names.market, names.player), number)
            {
                return Err(wrong(RivalNamesError::SamePlayer(before)));
            }
            read.push(names);
        }
        Ok(read)
    }

    fn line(line: &str, find: KitOf) -> Result<Self, RivalNamesError> {
        let mut words = line.split_whitespace();
        let (Some(game), Some(referee), Some(at)) = (words.next(), words.next(), words.next())
        else {
            return Err(RivalNamesError::Form);
        };
        let kit = find(game).ok_or_else(|| RivalNamesError::NoGame(game.to_owned()))?;
        let (market, player) = at
            .split_once('/')
            .map_or((at, None), |(market, player)| (market, Some(player)));
        let number = |word: &str| {
            let no_number = |_| RivalNamesError::NoNumber(word.to_owned());
            word.parse().map_err(no_number)
        };
        let pairs = words.map(|word| word.split_once('=').unwrap_or((word, "")));
        Ok(Self {
            game: game.to_owned(),
            referee: referee.to_owned(),
            market: number(market)?,
            player: player.map(number).transpose()?,
            rivals: Self::rivals(kit, pairs)?,
        })
    }

    /// Names by the wire's words for places.
    ///
    /// # Errors
    /// [`RivalNamesError`] says which place or name is wrong, and what would be right.
    pub fn rivals<'a>(
        kit: &dyn Kit,
        names: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Vec<(u8, String)>, RivalNamesError> {
        let words: Vec<&str> = (1..)
            .map_while(|place| kit.card().places.word(place))
            .collect();
        if words.is_empty() || !kit.card().advised {
            return Err(RivalNamesError::Unused(kit.card().name));
        }
        let mut rivals: Vec<(u8, String)> = Vec::new();
        for (word, name) in names {
            let place = (1..).zip(&words).find(|(_, known)| **known == word);
            let Some((place, _)) = place else {
                let places = words.join(", ");
                let place = word.to_owned();
                return Err(RivalNamesError::NoPlace { place, places });
            };
            let name = named(name)?;
            if rivals
                .iter()
                .any(|(at, other)| *at == place || other == name)
            {
                return Err(RivalNamesError::Twice(format!("{word}={name}")));
            }
            rivals.push((place, name.to_owned()));
        }
        match rivals.is_empty() {
            true => Err(RivalNamesError::Nobody),
            false => Ok(rivals),
        }
    }

    /// Whether they are for this player.
    #[must_use]
    pub fn are_for(&self, at: PlayerAddress<'_>) -> bool {
        self.game == at.game
            && self.referee == at.referee
            && self.market == at.market
            && self.player.is_none_or(|player| player == at.id)
    }
}

/// What is wrong with a file of names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {number}: {why}")]
pub struct NamesFileError {
    /// The line, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub why: RivalNamesError,
}

/// What is wrong with names of rivals.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RivalNamesError {
    /// Another line of the file is about the same player.
    #[error("line {0} names the rivals of the same player")]
    SamePlayer(usize),
    /// A line lacks something.
    #[error("it takes GAME REFEREE MARKET W=NAME …")]
    Form,
    /// There is no such game.
    #[error("there is no game {0}")]
    NoGame(String),
    /// A match or a player is not a number.
    #[error("{0:?} is no number")]
    NoNumber(String),
    /// No bot of the game would use it.
    #[error("bots of {0} use no names of rivals")]
    Unused(&'static str),
    /// There is no such place.
    #[error("there is no place {place:?}; a rival sits at one of {places}")]
    NoPlace {
        /// The word for it.
        place: String,
        /// The words that exist.
        places: String,
    },
    /// Two names for a place, or two places for a name.
    #[error("{0}: a place or a name comes twice")]
    Twice(String),
    /// There are no names.
    #[error("no rival is named")]
    Nobody,
    /// It is not a name.
    #[error("a name takes 1 to {NAME_LEN_MAX} letters and no control characters")]
    NoName,
}

impl From<RivalNamesError> for String {
    fn from(why: RivalNamesError) -> Self {
        why.to_string()
    }
}

/// Why names are not kept, as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRoom {
    /// There is no room for names of further matches.
    #[error("names of {MATCHES_MAX} matches are known already")]
    Matches,
    /// There is no room for names of further players of this match.
    #[error("names for {PLAYERS_MAX} of our players in match {0} are known already")]
    Players(u64),
}

/// Seats a name at a place. One place has one name and one name one place: who was there goes, and the name leaves the
/// place where it was.
pub fn seat_name<P: PartialEq>(names: &mut Vec<(P, String)>, place: P, name: &str) {
    names.retain(|(at, other)| *at != place && other != name);
    names.push((place, name.to_owned()));
}

/// A name that somebody gives a player.
///
/// # Errors
/// [`RivalNamesError::NoName`] says what a name is.
pub fn named(name: &str) -> Result<&str, RivalNamesError> {
    let name = name.trim();
    let letters = name.chars().count();
    if letters == 0 || letters > NAME_LEN_MAX || name.chars().any(char::is_control) {
        return Err(RivalNamesError::NoName);
    }
    Ok(name)
}

/// Finds a game: [`games::find`] everywhere but in tests.
type KitOf = fn(&str) -> Option<&'static dyn Kit>;

type MatchAddress = (String, u64);

/// The register. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    known: Arc<Mutex<HashMap<MatchAddress, KnownMatch>>>,
    /// Those that were announced, by referee and match.
    announced: Arc<Mutex<HashMap<MatchAddress, Vec<Names>>>>,
}

impl Identities {
    /// Keeps names for a session that begins later, until it ends. With those given before for the same player they
    /// are merged as [`seat_name`] does.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub fn name(&self, names: Names) -> Result<(), NoRoom> {
        let mut all = self.announced.lock();
        let key = (names.referee.clone(), names.market);
        if all.len() >= MATCHES_MAX && !all.contains_key(&key) {
            return Err(NoRoom::Matches);
        }
        let same = |old: &&mut Names| (&old.game, old.player) == (&names.game, names.player);
        let here = all.entry(key).or_default();
        if let Some(old) = here.iter_mut().find(same) {
            for (place, name) in &names.rivals {
                seat_name(&mut old.rivals, *place, name);
            }
            return Ok(());
        }
        if here.len() >= PLAYERS_MAX {
            return Err(NoRoom::Players(names.market));
        }
        here.push(names);
        Ok(())
    }

    /// Forgets the names that were announced for a player whose match is over.
    pub fn forget_rivals(&self, at: PlayerAddress<'_>) {
        let mut all = self.announced.lock();
        if let Entry::Occupied(mut here) = all.entry((at.referee.to_owned(), at.market)) {
            here.get_mut().retain(|names| !names.are_for(at));
            if here.get().is_empty() {
                here.remove();
            }
        }
    }

    /// The names that are known of the rivals of this player in somebody else's match, clockwise from its left. Those
    /// of no certain player are the `first`'s that joined.
    #[must_use]
    pub fn rivals(&self, at: PlayerAddress<'_>, first: bool) -> Vec<Option<String>> {
        let all = self.announced.lock();
        let here = all.get(&(at.referee.to_owned(), at.market));
        let of = here.into_iter().flatten().filter(|names| names.are_for(at));
        let of = of.filter(|names| first || names.player.is_some());
        // A player's own come last, and hold.
        let (own, first): (Vec<_>, Vec<_>) = of.partition(|names| names.player.is_some());
        let mut seated = Vec::new();
        for (place, name) in first.iter().chain(&own).flat_map(|names| &names.rivals) {
            seat_name(&mut seated, *place, name);
        }
        let last = seated.iter().map(|(place, _)| *place).max();
        let at = |place| {
            let name = seated.iter().find(|(at, _)| *at == place);
            name.map(|(_, name)| name.clone())
        };
        (1..=last.unwrap_or_default()).map(at).collect()
    }

    /// Registers a match before its first message is sent. `referee` is the name under which our callbacks
    /// will see the referee: the path segment, or its address without port.
    pub fn register(&self, referee: &str, market: u64, known: KnownMatch) {
        let mut all = self.known.lock();
        if all.len() < MATCHES_MAX {
            all.insert((referee.to_owned(), market), known);
        }
    }

    /// Registers a seat by the address from which its player dialled our hub, for a wire without numbers.
    pub fn register_line(&self, line: SocketAddr, row: Arc<MatchRow>, seat: u8) {
        let ids = row.seats.iter().map(|known| u64::from(known.seat == seat));
        let ids = ids.collect();
        self.register(&line.to_string(), 0, KnownMatch { row, ids });
    }

    /// Removes a line whose match is over.
    pub fn forget_line(&self, line: SocketAddr) {
        self.forget(&line.to_string(), 0);
    }

    /// Which seat of which match belongs to the player that dialled from this address, if the hub is ours.
    #[must_use]
    pub fn find_line(&self, line: SocketAddr) -> Option<Identity> {
        self.find(&line.to_string(), 0, 1)
    }

    /// Removes a match that is over.
    pub fn forget(&self, referee: &str, market: u64) {
        let mut all = self.known.lock();
        all.remove(&(referee.to_owned(), market));
    }

    /// Which player `id` is in the referee's match `market`, if that match is ours.
    #[must_use]
    pub fn find(&self, referee: &str, market: u64, id: u64) -> Option<Identity> {
        let all = self.known.lock();
        let known = all.get(&(referee.to_owned(), market))?;
        let seat = known.ids.iter().position(|known| *known == id)?;
        let count = known.ids.len();
        let rivals = (1..count)
            .map(|step| {
                let rival = (seat + step) % count;
                known
                    .row
                    .seats
                    .iter()
                    .find(|at| usize::from(at.seat) == rival)?
                    .name
                    .clone()
            })
            .collect();
        Some(Identity {
            row: Arc::clone(&known.row),
            seat: u8::try_from(seat).ok()?,
            rivals,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::fake::named_match;

    #[test]
    fn names_are_for_the_player_that_they_are_given_for() {
        let text = "# ours\n\ntoy r 7 W=alice N=bob\n  toy r 7/3 E=carol\ntoy q 7 W=dora\n";
        let identities = Identities::default();
        for names in Names::read(text, crate::toy::find).unwrap() {
            identities.name(names).unwrap();
        }
        let at = |referee, id| PlayerAddress {
            game: "toy",
            referee,
            market: 7,
            id,
        };
        let rivals = |referee, id, first| identities.rivals(at(referee, id), first);
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(rivals("r", 1, true), [name("alice"), name("bob")]);
        assert_eq!(rivals("r", 1, false), []);
        assert_eq!(rivals("r", 3, false), [None, None, name("carol")]);
        assert_eq!(
            rivals("r", 3, true),
            [name("alice"), name("bob"), name("carol")]
        );
        assert_eq!(rivals("q", 1, true), [name("dora")]);
        let game = "other";
        let other = PlayerAddress { game, ..at("r", 1) };
        assert_eq!(identities.rivals(other, true), []);
        let again = |line: &str| {
            let names = Names::read(line, crate::toy::find).unwrap();
            names
                .into_iter()
                .for_each(|names| identities.name(names).unwrap());
        };
        // Given again, they are merged by place.
        again("toy r 7 W=eve");
        assert_eq!(rivals("r", 1, true), [name("eve"), name("bob")]);
        // A name leaves the place where it was.
        again("toy r 7 W=bob");
        assert_eq!(rivals("r", 1, true), [name("bob")]);
        again("toy r 7/3 N=bob");
        assert_eq!(rivals("r", 3, true), [None, name("bob"), name("carol")]);
        // Those of a match that is over are forgotten, and no others.
        identities.forget_rivals(at("r", 3));
        assert_eq!(rivals("r", 3, true), []);
        assert_eq!(rivals("q", 1, true), [name("dora")]);
        identities.forget_rivals(at("q", 1));
        assert!(identities.announced.lock().is_empty());
        let mut kept = Vec::new();
        for player in 0..2 * PLAYERS_MAX as u64 {
            let names = Names {
                game: "toy".into(),
                referee: "r".into(),
                market: 8,
                player: Some(player),
                rivals: vec![(1, "x".into())],
            };
            kept.push(identities.name(names));
        }
        let (room, none) = kept.split_at(PLAYERS_MAX);
        assert!(room.iter().all(Result::is_ok));
        assert!(none.iter().all(|full| *full == Err(NoRoom::Players(8))));
    }

    #[test]
    fn a_wrong_line_is_named_with_its_reason() {
        for (line, why) in [
            ("toy r", "it takes GAME REFEREE MARKET"),
            ("chess r 1 W=a", "there is no game chess"),
            ("toy r x W=a", "\"x\" is no number"),
            ("toy r 1/y W=a", "\"y\" is no number"),
            ("toy r 1", "no rival is named"),
            ("toy r 1 S=a", "one of W, N, E"),
            ("toy r 1 W", "1 to 64 letters"),
            ("toy r 1 W=a W=b", "comes twice"),
            ("toy r 1 W=a N=a", "comes twice"),
            ("toy r 1 W=John Smith", "there is no place \"Smith\""),
            ("toy r 1 W=a\ntoy r 1/7 W=a\ntoy r 1 N=b", "line 2 names"),
        ] {
            let announced = Names::read(&format!("\n{line}"), crate::toy::find)
                .unwrap_err()
                .to_string();
            // The last line is the wrong one, after an empty first one.
            let number = 1 + line.lines().count();
            assert!(
                announced.starts_with(&format!("line {number}: ")) && announced.contains(why),
                "{line}: {announced}"
            );
        }
    }

    #[test]
    fn rivals_are_named_clockwise_from_the_left() {
        let row = named_match("M", 7, |seat| (seat != 2).then(|| format!("n{seat}")));
        let identities = Identities::default();
        identities.register(
            "r",
            7,
            KnownMatch {
                row: Arc::new(row),
                ids: vec![11, 12, 13, 14],
            },
        );
        let found = identities.find("r", 7, 12).unwrap();
        assert_eq!(found.seat, 1);
        assert_eq!(
            found.rivals,
            [None, Some("n3".to_owned()), Some("n0".to_owned())]
        );
        assert!(identities.find("r", 7, 15).is_none() && identities.find("r", 8, 12).is_none());
        let line = SocketAddr::from(([127, 0, 0, 1], 4000));
        let row = identities.find("r", 7, 11).unwrap().row;
        identities.register_line(line, row, 2);
        assert_eq!(identities.find_line(line).unwrap().seat, 2);
        identities.forget_line(line);
        assert!(identities.find_line(line).is_none());
        identities.forget("r", 7);
        assert!(identities.find("r", 7, 12).is_none());
    }
}
