//! A tournament's file: who plays which games, how rounds are made, and what counts.

use super::chance::{SECRET, begun_with};
use super::cup::{Cup, Models};
use super::entrant::{EntrantFile, Player, check_dialling};
use super::file_error::{FileError, refuse};
use super::keep::Extent;
use super::runner::CONCURRENCY_MAX;
use super::standings::{Named, TieBreak, Until};
use crate::config::read_toml;
use crate::referee::budget::ThinkBudget;
use crate::referee::{SeatPrograms, SeatSpec};
use crate::secrets::Secret;
use crate::tournament::Entrant;
use games::{Kit, TableSetup};
use ratings::schedule::{Field, Format};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

/// Entrants of one file at most: BayesElo's covariance is cubic in them.
pub const ENTRANTS_MAX: usize = 1_000;
/// Matches of a tournament at most: all of them are in memory when standings are made.
const MATCHES_MAX: u64 = 1_000_000;
/// Decks of a table and round at most.
const DECKS_MAX: u32 = 10_000;
/// How long an entrant that dials is waited for unless the file says otherwise, and what it may say.
const WITHIN: (Duration, RangeInclusive<Duration>) = (
    Duration::from_secs(30),
    Duration::from_secs(1)..=Duration::from_secs(3_600),
);
/// Times that a match is played again at most.
const REPLAYS_MAX: usize = 10;
/// Characters of a name at most.
const NAME_CHARS_MAX: usize = 64;

/// The key of a setup for the folders of entrants that are programs, by name.
pub(super) const FOLDERS: &str = "folders";

/// A tournament's file.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentFile {
    /// The tournament's name.
    pub name: String,
    /// The games, one tournament each, played one after the other.
    pub games: Vec<String>,
    /// Takes the place of the secret from which pairings, decks, bots and numbers on the wire follow.
    pub seed: Option<u64>,
    /// How rounds are made.
    pub schedule: Format,
    /// Decks that every table plays in a round; all tables share them.
    #[serde(default = "one")]
    pub decks: u32,
    /// Whether a table plays each deck as often as it has seats, all moving on by one seat.
    #[serde(default = "yes")]
    pub rotate: bool,
    /// Entrants of a table; the default is the game's most usual.
    pub seats: Option<usize>,
    /// The budget of a built-in bot's decision; the default is the game's. A time also bounds those of users' bots.
    pub budget: Option<String>,
    /// Matches at once; the default is one a core.
    #[serde(skip_serializing)]
    pub concurrency: Option<NonZeroUsize>,
    /// What built-in bots may know of their rivals.
    #[serde(default)]
    pub models: Models,
    /// How much is kept of each match. Stored setups have its former name.
    #[serde(default, rename(serialize = "store"), alias = "store")]
    pub keep: Extent,
    /// Ends a game's tournament once this holds, such as `A > B at 95 %`, where both play.
    pub until: Option<String>,
    /// Ends it after the round in which it has lasted so long, in minutes.
    pub minutes_max: Option<f64>,
    /// Ends it once the leaders' ratings are known this well: half their 95 % intervals, in Elo.
    pub precision: Option<f64>,
    /// What decides the order of the standings, the most important first.
    #[serde(default)]
    pub rank_by: Vec<TieBreak>,
    /// How often a match is played again at most since the machine made a program late; the default is 1.
    #[serde(default = "one", skip_serializing)]
    pub replays_max: u32,
    /// Where entrants dial that play from elsewhere.
    #[serde(skip_serializing)]
    pub listen: Option<SocketAddr>,
    /// How long such an entrant is waited for, such as `30s`.
    #[serde(skip_serializing)]
    pub within: Option<String>,
    /// Who plays.
    #[serde(rename = "entrant")]
    pub entrants: Vec<EntrantFile>,
    /// What holds for one game only, by its name.
    #[serde(default, rename = "game")]
    pub of_game: BTreeMap<String, GameFile>,
}

/// What holds for one game only.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameFile {
    /// Entrants of a table.
    pub seats: Option<usize>,
    /// The budget of a built-in bot's decision.
    pub budget: Option<String>,
    /// How rounds are made.
    pub schedule: Option<Format>,
    /// Decks that every table plays in a round.
    pub decks: Option<u32>,
    /// Ends it once this holds.
    #[serde(skip_serializing)]
    pub until: Option<String>,
    /// Rule options.
    pub options: Map<String, Value>,
}

fn one<T: From<u8>>() -> T {
    1.into()
}

const fn yes() -> bool {
    true
}

impl TournamentFile {
    /// Reads a file's text; mistakes name its `path`.
    ///
    /// # Errors
    /// [`FileError`] with every mistake, and its line where that is known.
    pub fn read(path: &Path, text: &str) -> Result<Self, FileError> {
        let file = read_toml::<Self>(path, text);
        let mistakes = file.mistakes.iter();
        let mistakes = mistakes.map(|why| Err(FileError::one(why.to_string())));
        let checked = file.sound().map(|file| file.check(path));
        FileError::all(mistakes.chain(checked))?;
        let none = || FileError::one(format!("{}: it holds no tournament", path.display()));
        file.value.ok_or_else(none)
    }

    /// The tournaments of these of its games, with all that is wrong for any of them; `folder`: where the file at `path`
    /// lies.
    ///
    /// # Errors
    /// [`FileError`] for what does not fit the games.
    pub fn cups(&self, games: &[&str], path: &Path, folder: &Path) -> Result<Vec<Cup>, FileError> {
        let cup = |game: &&str| {
            let cup = self.cup(game, folder)?;
            self.until(&cup)?;
            Ok(cup)
        };
        let cups = FileError::all(games.iter().map(cup));
        cups.map_err(|why| why.map(|why| format!("{}: {why}", path.display())))
    }

    /// Checks what no game decides.
    fn check(&self, path: &Path) -> Result<(), FileError> {
        let known: HashSet<&str> = self.games.iter().map(String::as_str).collect();
        let checked = [
            named("name", &self.name),
            self.check_games(&known),
            self.check_numbers(),
            self.within().map(drop),
            self.check_entrants(&known),
            self.check_until(),
        ];
        let checked = FileError::all(checked).map(drop);
        checked.map_err(|why| why.map(|why| format!("{}: {why}", path.display())))
    }

    fn check_games(&self, known: &HashSet<&str>) -> Result<(), FileError> {
        if self.games.is_empty() {
            return refuse("games: there is none; write games = [\"planowanie\"]".to_owned());
        }
        let count = |game: &str| self.games.iter().filter(|other| *other == game).count();
        let twice = self.games.iter().filter(|game| count(game) > 1);
        let twice = twice.map(|game| refuse(format!("games: {game:?} is there twice")));
        let others = self
            .of_game
            .keys()
            .filter(|game| !known.contains(game.as_str()));
        let others = others.map(|game| refuse(format!("game.{game}: {game:?} is not among games")));
        FileError::all(twice.chain(others)).map(|_: Vec<()>| ())
    }

    fn check_numbers(&self) -> Result<(), FileError> {
        let above_0 = |name: &str, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                refuse(format!("{name}: it must be a number above 0"))
            }
            _ => Ok(()),
        };
        let at_most = |name: &str, given: usize, most: usize| match given > most {
            true => refuse(format!("{name}: {given} is more than {most}")),
            false => Ok(()),
        };
        let concurrency = self.concurrency.map_or(0, NonZeroUsize::get);
        let checked = [
            above_0("minutes_max", self.minutes_max),
            above_0("precision", self.precision),
            at_most("concurrency", concurrency, CONCURRENCY_MAX),
            at_most("replays_max", self.replays_max as usize, REPLAYS_MAX),
            at_most("entrants", self.entrants.len(), ENTRANTS_MAX),
        ];
        FileError::all(checked).map(drop)
    }

    fn check_until(&self) -> Result<(), FileError> {
        let mut of_games = self.of_game.values();
        let until = self.until.is_some() || of_games.any(|game| game.until.is_some());
        if until && !self.rotate {
            return refuse(
                "until: without rotate = true a deck favours seats, and the test would bet on that"
                    .to_owned(),
            );
        }
        let Some(until) = &self.until else {
            return Ok(());
        };
        let until = self.criterion(until)?;
        let both = [until.better, until.than];
        let plays = |game: &str, number: &usize| {
            let entrant = self.entrants.get(*number);
            entrant.is_some_and(|entrant| entrant.plays(game))
        };
        let meet = |game: &String| both.iter().all(|number| plays(game, number));
        if !self.games.iter().any(meet) {
            return refuse("until: there is no game that both play".to_owned());
        }
        Ok(())
    }

    fn check_entrants(&self, known: &HashSet<&str>) -> Result<(), FileError> {
        let named = |name: &str| self.entrants.iter().filter(|one| one.name == name).count();
        let check = |entrant: &EntrantFile| {
            let name = &entrant.name;
            let twice = match named(name) > 1 {
                true => refuse(format!("entrant {name:?}: it is there twice")),
                false => Ok(()),
            };
            FileError::all([twice, self.check_entrant(entrant, known)]).map(drop)
        };
        FileError::all(self.entrants.iter().map(check)).map(drop)
    }

    fn check_entrant(&self, entrant: &EntrantFile, known: &HashSet<&str>) -> Result<(), FileError> {
        let name = &entrant.name;
        named("entrant.name", name)?;
        let by_game = match &entrant.player {
            Some(Player::ByGame(players)) => players.keys().collect(),
            _ => Vec::new(),
        };
        let mut all = entrant.games.iter().flatten().chain(by_game);
        if let Some(game) = all.find(|game| !known.contains(game.as_str())) {
            return refuse(format!("entrant {name:?}: {game:?} is not among games"));
        }
        if !self.games.iter().any(|game| entrant.plays(game)) {
            return refuse(format!(
                "entrant {name:?}: it plays none of the games; leave out games, or name some that it has a player for"
            ));
        }
        Ok(())
    }

    /// A criterion, with the numbers of entrants in the file.
    fn criterion(&self, text: &str) -> Result<Until, FileError> {
        let named = |entrant: &EntrantFile| Named {
            name: entrant.name.clone(),
            spec: String::new(),
            house: entrant.house,
        };
        let all: Vec<Named> = self.entrants.iter().map(named).collect();
        Until::parse(text, &all).map_err(|why| FileError::one(format!("until: {why}")))
    }

    /// What `until` says of a game.
    fn until_of(&self, game: &str) -> Option<&String> {
        let of_game = self.of_game.get(game).and_then(|game| game.until.as_ref());
        of_game.or(self.until.as_ref())
    }

    /// The criterion that ends a game's tournament early; `None` without one, and where one of the two does not play.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be read, or is for this game alone and one of the two does not play it.
    pub fn until(&self, cup: &Cup) -> Result<Option<Until>, FileError> {
        let game = cup.kit.card().name;
        let Some(text) = self.until_of(game) else {
            return Ok(None);
        };
        let until = self.criterion(text)?;
        let place = |number: usize| {
            let name = &self.entrants.get(number)?.name;
            cup.entrants
                .iter()
                .position(|entrant| entrant.name == *name)
        };
        match (place(until.better), place(until.than)) {
            (Some(better), Some(than)) => Ok(Some(Until {
                better,
                than,
                ..until
            })),
            _ if self.until.as_ref() == Some(text) => Ok(None),
            _ => refuse(format!("game.{game}.until: one of them does not play it")),
        }
    }

    /// How much is stored if `given` is wanted instead of what the file says.
    ///
    /// # Errors
    /// [`FileError`] if bots are to learn from what would not be stored.
    pub fn extent(&self, given: Option<Extent>) -> Result<Extent, FileError> {
        let extent = given.unwrap_or(self.keep);
        if self.models == Models::Learn && extent == Extent::Results {
            return refuse(
                "models: bots can \"learn\" only from what was said, which keep = \"results\" leaves out"
                    .to_owned(),
            );
        }
        Ok(extent)
    }

    /// How long an entrant that dials is waited for: the time in which it neither waits nor plays.
    ///
    /// # Errors
    /// [`FileError`] if it is no such time.
    pub fn within(&self) -> Result<Duration, FileError> {
        let (usual, allowed) = WITHIN;
        let Some(given) = &self.within else {
            return Ok(usual);
        };
        let within = humantime::parse_duration(given).ok();
        within
            .filter(|within| allowed.contains(within))
            .ok_or_else(|| {
                FileError::one(format!(
                    "within: {given:?} is no time from 1s to 1h, such as 30s"
                ))
            })
    }

    /// The tournament of one of its games; `folder`: where the file lies.
    ///
    /// # Errors
    /// [`FileError`] for what does not fit the game.
    pub fn cup(&self, game: &str, folder: &Path) -> Result<Cup, FileError> {
        let kit = kit_of(game)?;
        let of_game = self.of_game.get(game).cloned().unwrap_or_default();
        let format = of_game.schedule.unwrap_or(self.schedule);
        let decks = of_game.decks.unwrap_or(self.decks);
        if !(1..=DECKS_MAX).contains(&decks) {
            return refuse(format!("decks: {decks} is not within 1 and {DECKS_MAX}"));
        }
        let entrants = self.entrants_of(kit, folder)?;
        let ranked = entrants.iter().filter(|entrant| !entrant.house).count();
        let seats = of_game
            .seats
            .or(self.seats)
            .unwrap_or_else(|| usual_seats(kit));
        let given = of_game.budget.as_ref().or(self.budget.as_ref());
        let is_given = given.is_some();
        let budget: ThinkBudget = match given {
            Some(text) => text
                .parse()
                .map_err(|why| FileError::one(format!("budget: {why}")))?,
            None => ThinkBudget::Time(kit.card().limits.play_budget),
        };
        let options = checked_options(kit, of_game.options)?;
        let field = Field {
            entrants: ranked,
            house: entrants.len() - ranked,
            seats,
            seed: 0,
        };
        format
            .check(&field)
            .map_err(|why| FileError::one(format!("{game}: schedule: {why}")))?;
        self.check_extent(game, format, &field, decks)?;
        let line_up = kit.line_up(&options, seats);
        let line_up = line_up.map_err(|why| FileError::one(format!("{game}: seats: {why}")))?;
        // What options are worth shows at a table only.
        let table = TableSetup::numbered(0, options.clone(), line_up.owners.len());
        kit.table(&table)
            .map_err(|why| FileError::one(format!("game.{game}.options: {why}")))?;
        let secret = begun_with(self.seed)?;
        let decided = Decided {
            game,
            secret,
            seats,
            budget: &budget,
            options: &options,
        };
        let setup = self.setup(&decided, &entrants)?;
        Ok(Cup {
            name: self.name.clone(),
            kit,
            entrants,
            ranked,
            format,
            seats,
            decks,
            rotate: self.rotate,
            secret,
            options,
            budget,
            users_bots: SeatPrograms {
                within: is_given.then(|| budget.time()).flatten(),
                ranked: true,
                ..SeatPrograms::default()
            },
            models: self.models,
            setup,
            not_isolated: None,
        })
    }

    /// Those who play a game, the house's last.
    fn entrants_of(&self, kit: &'static dyn Kit, folder: &Path) -> Result<Vec<Entrant>, FileError> {
        let play = self
            .entrants
            .iter()
            .filter(|given| given.plays(kit.card().name));
        let entrants = play.map(|given| given.entrant(kit, folder));
        let mut entrants = FileError::all(entrants)?;
        check_dialling(&entrants)?;
        entrants.sort_by_key(|entrant| entrant.house);
        Ok(entrants)
    }

    fn check_extent(
        &self,
        game: &str,
        format: Format,
        field: &Field,
        decks: u32,
    ) -> Result<(), FileError> {
        let seats = field.seats;
        let tables = (field.entrants + field.house).div_ceil(seats) as u64;
        let rounds = u64::from(format.rounds(field).unwrap_or_default());
        let rotations = if self.rotate { seats as u64 } else { 1 };
        let matches = rounds * tables * u64::from(decks) * rotations;
        if matches > MATCHES_MAX {
            return refuse(format!(
                "{game}: {rounds} rounds of {tables} tables, {decks} decks and {rotations} rotations are {matches} \
                 matches; a tournament has at most {MATCHES_MAX}"
            ));
        }
        Ok(())
    }

    /// All of the file that decides the results, as it is stored.
    fn setup(&self, decided: &Decided<'_>, entrants: &[Entrant]) -> Result<Value, FileError> {
        let mut setup =
            serde_json::to_value(self).map_err(|why| FileError::one(why.to_string()))?;
        if let Some(setup) = setup.as_object_mut() {
            setup.insert("playing".to_owned(), decided.game.into());
            setup.insert(SECRET.to_owned(), decided.secret.text().into());
            setup.insert("seats".to_owned(), decided.seats.into());
            setup.insert("budget".to_owned(), decided.budget.to_string().into());
            setup.insert("options".to_owned(), decided.options.clone());
            setup.insert("until".to_owned(), json!(self.until_of(decided.game)));
            // Where its programs run indeed: the file may have been moved.
            let folders = entrants.iter().filter_map(|entrant| match &entrant.spec {
                SeatSpec::Program(program) => Some((entrant.name.clone(), json!(program.folder))),
                _ => None,
            });
            setup.insert(FOLDERS.to_owned(), folders.collect::<Map<_, _>>().into());
        }
        Ok(setup)
    }
}

/// What is settled for one game of a file.
struct Decided<'a> {
    game: &'a str,
    secret: Secret,
    seats: usize,
    budget: &'a ThinkBudget,
    options: &'a Value,
}

fn kit_of(game: &str) -> Result<&'static dyn Kit, FileError> {
    games::find(game).ok_or_else(|| {
        let known: Vec<_> = games::ALL.iter().map(|kit| kit.card().name).collect();
        let known = known.join(", ");
        FileError::one(format!(
            "games: there is no game {game:?}; there are: {known}"
        ))
    })
}

fn named(what: &str, name: &str) -> Result<(), FileError> {
    let fits = (1..=NAME_CHARS_MAX).contains(&name.chars().count());
    if !fits || name.trim() != name || name.chars().any(char::is_control) {
        return refuse(format!(
            "{what}: {name:?} must have 1 to {NAME_CHARS_MAX} characters, none of them a control character, and no \
             spaces around them"
        ));
    }
    if name.starts_with(['=', '+', '-', '@']) || name.ends_with('*') {
        return refuse(format!(
            "{what}: {name:?} must not begin with =, +, - or @, which spreadsheets take for formulas, nor end with \
             *, which marks the house"
        ));
    }
    Ok(())
}

/// Two where the game allows it, otherwise four, as in the contests.
fn usual_seats(kit: &dyn Kit) -> usize {
    let usual = if kit.card().seats.contains(&2) { 2 } else { 4 };
    usual.clamp(*kit.card().seats.start(), *kit.card().seats.end())
}

fn checked_options(kit: &dyn Kit, options: Map<String, Value>) -> Result<Value, FileError> {
    let cards = kit.card().options;
    for name in options.keys() {
        if !cards.iter().any(|card| card.name == name) {
            let known: Vec<_> = cards.iter().map(|card| card.name).collect();
            let (game, known) = (kit.card().name, known.join(", "));
            return refuse(format!(
                "game.{game}.options: there is no option {name:?}; there are: {known}"
            ));
        }
    }
    Ok(match options.is_empty() {
        true => Value::Null,
        false => Value::Object(options),
    })
}
