//! [`GameCard`]: everything about a game that is data. Each fact stands once, here.

use crate::dialect::Dialect;
use crate::game::{Duel, Illegal, Outcome, Seat, Seats};
use crate::history::{Bluff, History, MatchFact};
use crate::maps::Maps;
use crate::models::{Models, Train};
use crate::scene::{Names, News, Picture, Scene};
use crate::sentence::Reading;
use crate::sighting::Sighting;
use crate::text::{grouped, in_number};
use crate::wire::{Fact, Reception};
use serde::Serialize;
use serde_json::Value;
use std::ops::RangeInclusive;
use std::time::Duration;

/// What a player does who answers nothing, after its name.
pub const NO_ANSWER: &str = "gives no answer";

/// What a game is, without its types.
pub struct GameCard {
    /// Its name: `koehandel`, …
    pub name: &'static str,
    /// What people call it: `Koehandel`, …
    pub title: &'static str,
    /// How many seats a match has.
    pub seats: RangeInclusive<usize>,
    /// Built-in bots, weakest first.
    pub bots: &'static [BotCard],
    /// Referee options.
    pub options: &'static [OptionCard],
    /// How long things may take.
    pub limits: Limits,
    /// How players and referee meet.
    pub wire: Wire,
    /// What holds for programs on pipes.
    pub stdio: StdioWire,
    /// The wire's text, read without a session.
    pub dialect: &'static dyn Dialect,
    /// What the wire calls the places round the table.
    pub places: Places,
    /// Whether a message that equals the one before it, to the same player of the same match, can only be that
    /// one sent again. Where it can, an equal message is answered from the log and never received twice,
    /// whatever happened to the first answer.
    pub repeats: bool,
    /// Whether stored models of opponents or maps advise the bots ([`crate::contest::Advice::Learnt`]).
    pub advised: bool,
    /// How scores are worded for people.
    pub scores: Scores,
    /// The unit of candidates' values ([`crate::Candidate::value`]).
    pub value_unit: &'static str,
    /// Each seat's share of the win: 1 for the only winner. [`Outcome::win_shares`] where the best score wins and
    /// equal best ones share.
    pub win_shares: fn(&Outcome) -> Seats<f64>,
    /// The results of a match between each two of its seats that count for ratings: [`Outcome::duels`] where all do.
    pub duels: fn(&Outcome) -> Vec<Duel>,
    /// A picture of a state ([`crate::Scene::state`]), which may come from anywhere, and of players with these names;
    /// `None`: it is no state of the game, or the game has no pictures.
    pub picture: fn(&Value, &Names) -> Option<Picture>,
    /// The same laid out for a phone, where that is another picture.
    pub narrow: Option<fn(&Value, &Names) -> Option<Picture>>,
    /// What happened from a state to the next scene, where the two say more than the scene's own title; `None`: its
    /// title says it.
    pub news: fn(&Value, &Scene) -> Option<News>,
    /// A fact in a sentence whose players are [`crate::scene::Who`]; `None`: it is said plainly
    /// ([`Reading::plain`]).
    pub sentence: fn(Reading<'_>) -> Option<String>,
    /// Whether a fact is one of the moments that a match turns on: a bluff that is caught, a capture.
    pub turns_on: fn(&Fact) -> bool,
    /// Whether a fact is routine, such as a bark: highlights are without it.
    pub routine: fn(&Fact) -> bool,
    /// What several facts of a kind are called, where that is not the kind's plural.
    pub kinds: &'static [(&'static str, &'static str)],
    /// What a seat's fact, its players named by seat, is among those of the match's other seats.
    pub sighting: fn(&Fact, Seat) -> Sighting,
    /// What is counted over a match, if anything is.
    pub curves: Option<Curves>,
    /// Where a match's teams are recorded, in games that have teams.
    pub teams: Option<Teams>,
    /// What history makes of facts, if more than their data.
    pub history: Option<&'static dyn History>,
    /// The game's maps, if it is played on maps.
    pub maps: Option<&'static dyn Maps>,
    /// What is learnt of rivals, if anything is.
    pub models: Option<&'static dyn Models>,
    /// How players are received who dial the referee themselves, if the game has that.
    pub reception: Option<&'static dyn Reception>,
    /// How the champion's data is learnt, if it ships any.
    pub training: Option<&'static dyn Train>,
}

impl GameCard {
    /// The built-in bot with this name.
    #[must_use]
    pub fn bot(&self, name: &str) -> Option<&'static BotCard> {
        self.bots.iter().find(|card| card.name == name)
    }

    /// The fact as a bluff, if it is one.
    #[must_use]
    pub fn bluff(&self, fact: &Fact) -> Option<Bluff> {
        self.history?.bluff(fact)
    }

    /// A fact of this seat's transcript for those who see all seats.
    #[must_use]
    pub fn seated(&self, fact: Fact, seat: Seat) -> Fact {
        match self.history {
            Some(history) => history.seated(fact, seat),
            None => fact,
        }
    }

    /// A fact in a sentence to be filled in; `own` is the place of the seat whose transcript shows it.
    #[must_use]
    pub fn said(&self, fact: &Fact, own: Option<usize>) -> String {
        let reading = Reading { fact, own };
        (self.sentence)(reading).unwrap_or_else(|| reading.plain())
    }

    /// An answer to a message in the game's words, of players with these names; on one line as it is, where it has none.
    #[must_use]
    pub fn answered(&self, message: &[u8], answer: &str, names: &Names) -> String {
        match self.dialect.in_words(message, answer) {
            Some(words) => names.fill(&words),
            None if answer.is_empty() => NO_ANSWER.to_owned(),
            None => answer.trim_end().replace('\n', "; "),
        }
    }

    /// What facts of this kind are called: `second bluffs`.
    #[must_use]
    pub fn kind(&self, kind: &str) -> String {
        // What every game has.
        let general = [
            ("game", "beginning"),
            ("result", "result"),
            ("unsound", "messages left out"),
            ("local", "answers of the shim"),
            ("quarantined", "players no longer asked"),
        ];
        let mut named = self.kinds.iter().chain(&general);
        let named = named.find(|(known, _)| *known == kind);
        let plural = || in_number(2, &kind.replace('_', " "));
        named.map_or_else(plural, |(_, name)| (*name).to_owned())
    }

    /// The kinds of facts that [`Self::match_facts`] reads; none if it makes nothing of them.
    #[must_use]
    pub fn fact_kinds(&self) -> &'static [&'static str] {
        self.history.map_or(&[], History::kinds)
    }

    /// What happened in a match that is over, each once, from the facts of its seats.
    #[must_use]
    pub fn match_facts(&self, seats: &[(Seat, Vec<Fact>)]) -> Vec<MatchFact> {
        let history = self.history;
        history.map_or_else(Vec::new, |history| history.match_facts(seats))
    }

    /// The fact without what an earlier version, which has stored this, did not note.
    #[must_use]
    pub fn as_noted(&self, fact: Fact, stored: &Value) -> Fact {
        match self.history {
            Some(history) => history.as_noted(fact, stored),
            None => fact,
        }
    }

    /// Each seat's team, from the text of the setup that [`crate::Table::setup`] gave, in games that have teams.
    #[must_use]
    pub fn teams_of(&self, setup: &str) -> Option<Vec<u8>> {
        (self.teams?.of_setup)(setup)
    }

    /// Each seat's number on the wire, from the text of the setup that [`crate::Table::setup`] gave, in games that have
    /// teams.
    #[must_use]
    pub fn numbers_of(&self, setup: &str) -> Option<Vec<u32>> {
        (self.teams?.numbers_of_setup)(setup)
    }

    /// Whether an answer to a message is legal in form ([`Dialect::in_form`]). An empty one is: it is for messages
    /// that ask nothing, and for players who pass.
    ///
    /// # Errors
    /// [`Illegal`] says what a reader would not take.
    pub fn in_form(&self, message: &[u8], answer: &str) -> Result<(), Illegal> {
        match answer {
            "" => Ok(()),
            answer => self.dialect.in_form(message, answer),
        }
    }
}

/// How a game's scores are worded for people.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    /// What is counted, one of it: `point`.
    pub unit: &'static str,
    /// The word for a score that counts nothing, such as that of a player who is out.
    pub word: fn(i64) -> Option<&'static str>,
}

impl Scores {
    /// Points, each of which counts.
    pub const POINTS: Self = Self {
        unit: "point",
        word: |_| None,
    };

    /// A score with its unit, or its word: `1,300 points`, `eliminated`.
    #[must_use]
    pub fn full(&self, score: i64) -> String {
        let words = || format!("{} {}", grouped(score), in_number(score, self.unit));
        (self.word)(score).map_or_else(words, str::to_owned)
    }

    /// The same without the unit, where many scores stand next to each other: `3`, `eliminated`.
    #[must_use]
    pub fn short(&self, score: i64) -> String {
        (self.word)(score).map_or_else(|| grouped(score), str::to_owned)
    }
}

/// The figures of each measure in a state, by place; `None` where one is not known.
pub type Figures = Vec<Vec<Option<i64>>>;

/// What is counted over a match, such as points and money.
#[derive(Clone, Copy, Debug)]
pub struct Curves {
    /// What one of [`Scene::turn`] is called: `turn`, `round`, `trick`.
    pub turn: &'static str,
    /// What each measure is called; the first one decides the match.
    pub names: &'static [&'static str],
    /// Each measure's figures in a state of players with these names. No state: nothing.
    pub figures: fn(&Value, &Names) -> Option<Figures>,
}

/// One built-in bot, as it is listed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BotCard {
    /// The name in `builtin:NAME`.
    pub name: &'static str,
    /// Its rung on the game's ladder, weakest 1.
    pub rung: u8,
    /// Raised whenever its play changes.
    pub version: u32,
    /// One sentence on how it plays and, for searchers, what a node is.
    pub description: &'static str,
    /// A number that changes only when its play changes: a digest of fixed seeded matches.
    pub signature: u64,
    /// Whether it uses a thinking budget.
    pub thinks: bool,
}

/// The first version of a bot that does not think.
pub const fn card(
    rung: u8,
    name: &'static str,
    description: &'static str,
    signature: u64,
) -> BotCard {
    BotCard {
        name,
        rung,
        version: 1,
        description,
        signature,
        thinks: false,
    }
}

/// The first version of a bot that uses a thinking budget.
pub const fn thinker(
    rung: u8,
    name: &'static str,
    description: &'static str,
    signature: u64,
) -> BotCard {
    BotCard {
        thinks: true,
        ..card(rung, name, description, signature)
    }
}

/// One referee option, as it is listed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OptionCard {
    /// The key in the options object.
    pub name: &'static str,
    /// Its default, as JSON text.
    pub default: &'static str,
    /// What it decides, and the ruling it belongs to.
    pub description: &'static str,
}

impl OptionCard {
    /// An option with its default as JSON text.
    #[must_use]
    pub const fn new(name: &'static str, default: &'static str, description: &'static str) -> Self {
        Self {
            name,
            default,
            description,
        }
    }
}

/// How players and referee meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// The referee calls each player over HTTP.
    Callbacks,
    /// Players dial the referee over TCP and keep the line. The connection is the player: a session
    /// ends with it.
    Hub,
    /// The referee starts each player as a program and speaks with it over stdin and stdout.
    Stdio,
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The wire's time limit for an answer.
    pub answer: Duration,
    /// The wire's time limit for the first answer of a match.
    pub open: Duration,
    /// How long a decision is thought about unless it is set otherwise.
    pub budget: Duration,
    /// The same in matches that are played here without a clock.
    pub play_budget: Duration,
}

impl Limits {
    /// Limits of a wire with so long for every answer, and the budget of decisions.
    #[must_use]
    pub const fn new(answer: Duration, budget: Duration) -> Self {
        Self {
            answer,
            open: answer,
            budget,
            play_budget: budget,
        }
    }
}

/// What holds for programs on pipes: players of a game on stdin and stdout, and users' bots of any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StdioWire {
    /// Longest line of an answer, in bytes.
    pub reply_line_max: usize,
    /// The last line that is sent to a player, if the wire has one.
    pub farewell: Option<&'static str>,
    /// Memory that a program may have, in bytes, if the contest says.
    pub memory: Option<u64>,
    /// The option, in milliseconds, that is each player's time.
    pub time_option: Option<&'static str>,
    /// What to try with a program that does not answer, in a sentence, if the game has options for that.
    pub when_silent: Option<&'static str>,
    /// The keys of a dialogue's view that a person follows a game by.
    pub watched: &'static [&'static str],
}

impl StdioWire {
    /// What holds unless a contest says otherwise.
    pub const USUAL: Self = Self {
        reply_line_max: 1 << 20,
        farewell: None,
        memory: None,
        time_option: None,
        when_silent: None,
        watched: &[],
    };
}

/// What a game's wire calls the places round the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// Numbers, clockwise from a player's own place.
    Numbered,
    /// Words, clockwise from a player's own place. Bots of such a game can be given models of who sits there
    /// ([`crate::DialogueSetup::rivals`]).
    Named(&'static [&'static str]),
    /// Nothing that says where somebody sits.
    Unknown,
}

impl Places {
    /// How many seats clockwise from a player's own the place is that the wire calls `word`
    /// ([`crate::Lesson::rival`], [`crate::Bluff::by`]).
    #[must_use]
    pub fn clockwise(self, word: &str) -> Option<u8> {
        let words = match self {
            Self::Numbered => &[],
            Self::Named(words) => words,
            Self::Unknown => return None,
        };
        let named = words.iter().position(|known| *known == word);
        named.map_or_else(|| word.parse().ok(), |at| u8::try_from(at).ok())
    }

    /// The word for the place this many seats clockwise from a player's own.
    #[must_use]
    pub fn word(self, clockwise: u8) -> Option<&'static str> {
        match self {
            Self::Named(words) => words.get(usize::from(clockwise)).copied(),
            Self::Numbered | Self::Unknown => None,
        }
    }
}

/// Where a match's teams are recorded.
#[derive(Clone, Copy, Debug)]
pub struct Teams {
    /// Each seat's team, from the text of the setup that [`crate::Table::setup`] gave.
    pub of_setup: fn(&str) -> Option<Vec<u8>>,
    /// Each seat's number on the wire, from the same.
    pub numbers_of_setup: fn(&str) -> Option<Vec<u32>>,
    /// The fact that records a session's team, as its player learns it in play.
    pub fact: TeamFact,
}

/// The fact that records a session's team: its kind, and the fields of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamFact {
    /// Its kind.
    pub kind: &'static str,
    /// The field that all players of one game have alike.
    pub table: &'static str,
    /// The field with the player's own number.
    pub player: &'static str,
    /// The field with the list of its allies' numbers.
    pub allies: &'static str,
}
