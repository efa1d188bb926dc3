//! The neutral protocol: what Drover and a user's program say to each other, one JSON object a line, alike for
//! all games. Views, decisions, acts and events are the games' own types, serialised; `docs/bot-protocol.md` is
//! for those who write programs.

use crate::card::Limits;
use crate::game::{Cause, Illegal};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The version of the protocol. Raised when a program of the version before would misunderstand a line.
pub const VERSION: u32 = 1;
/// The longest line that a program may send, in bytes, its end not counted.
pub const LINE_MAX: usize = 1 << 20;
/// The longest note that is kept for a program, as JSON text in bytes.
pub const NOTE_MAX: usize = 64 << 10;
/// Lines that a program may send for one decision: more is a flood.
pub const LINES_MAX: u32 = 64;

/// Before the name of a user's program wherever a bot is named: `bot:NAME`, `bot:NAME@VERSION`.
pub const PREFIX: &str = "bot:";

/// What a built-in bot's name may begin with.
pub const BUILT_IN: &str = "builtin:";

/// Between the name of a user's program and its version.
const VERSION_MARK: char = '@';

/// The name of a user's program that stands for all of its versions: `bot:NAME`.
#[must_use]
pub fn stands_for_all(name: &str) -> bool {
    name.starts_with(PREFIX) && !name.contains(VERSION_MARK)
}

/// Whether `bot`, as history has it, is what `name` means: the same one, or a version of that program.
#[must_use]
pub fn is_meant(name: &str, bot: &str) -> bool {
    let rest = bot.strip_prefix(name);
    rest.is_some_and(|rest| {
        rest.is_empty() || (stands_for_all(name) && rest.starts_with(VERSION_MARK))
    })
}

/// What can be said to a program and read back.
pub trait Spoken: Serialize + DeserializeOwned + JsonSchema {}

impl<T: Serialize + DeserializeOwned + JsonSchema> Spoken for T {}

/// A line to a program: `V` is what a seat may know, `K` the decision it is asked for, `A` what it answers, `E`
/// what it receives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "ToProgram")]
pub enum ToProgram<V, K, A, E> {
    /// The first line, whenever the program is started.
    Hello(Hello),
    /// A match begins: the second line.
    Match(Box<Start>),
    /// The seat receives this.
    Seen {
        /// What it receives.
        event: E,
    },
    /// The seat is asked for a decision.
    Ask(Box<Asked<V, K, A>>),
    /// What was really answered to a decision, by the program or in its stead.
    Played {
        /// The decision's number.
        number: u64,
        /// The act; `null` if it was none.
        act: Option<A>,
    },
    /// An answer was not taken; the fallback answers that decision.
    Refused {
        /// The decision's number, if the answer had one.
        number: Option<u64>,
        /// Why, in a sentence.
        why: String,
    },
    /// The opponent models that were asked for.
    Models {
        /// As many as are known.
        models: Vec<Model>,
    },
    /// The match is over: the last line.
    End(End),
}

/// The first line to a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// The protocol's version: 1.
    pub protocol: u32,
    /// The game that is played.
    pub game: String,
    /// The longest line that the program may send, in bytes.
    pub line_max: usize,
    /// The longest note that is kept, in bytes.
    pub note_max: usize,
}

impl Hello {
    /// What is said first to a program that plays this game.
    #[must_use]
    pub fn new(game: &str) -> Self {
        Self {
            protocol: VERSION,
            game: game.to_owned(),
            line_max: LINE_MAX,
            note_max: NOTE_MAX,
        }
    }
}

/// What is known of a match when it begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// The match's id in Drover's history; empty if it is not kept.
    pub id: String,
    /// Whether it began before: the program is started again, and receives all once more.
    pub again: bool,
    /// How long the wire gives for a decision, in milliseconds, unless it says otherwise.
    pub answer_ms: u64,
    /// The same for the first decision.
    pub open_ms: u64,
    /// Rivals whose names are known.
    pub rivals: Vec<Rival>,
    /// What the program noted last in an earlier match of this game; `null`: nothing.
    pub note: Value,
}

impl Start {
    /// A match that has this id, in a contest with these limits.
    #[must_use]
    pub fn new(limits: Limits, id: &str, again: bool) -> Self {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            id: id.to_owned(),
            again,
            answer_ms: ms(limits.answer),
            open_ms: ms(limits.open),
            ..Self::default()
        }
    }
}

/// A rival whose name is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rival {
    /// Its place, as the game calls it.
    pub place: String,
    /// Its name.
    pub name: String,
}

/// What earlier matches taught about a rival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Model {
    /// Its place, or the learnt type, as the game calls it.
    pub of: String,
    /// The figures, each with its evidence, in the game's own schema.
    pub model: Value,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Asked<V, K, A> {
    /// The decision's number in the match, from 1.
    pub number: u64,
    /// How long the answer may take from now, in milliseconds; 0 if it was answered before.
    pub deadline_ms: u64,
    /// Whether it was answered before: an answer is compared with that one and has no effect.
    pub past: bool,
    /// What is to be decided.
    pub ask: K,
    /// What the seat knows.
    pub view: V,
    /// The legal acts, or a sample of them where they are too many; `null` where acts are not listed.
    pub(crate) acts: Option<Vec<A>>,
}

/// How a match ended, as far as the seat knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// Why.
    pub cause: Cause,
    /// The particulars, in a sentence.
    pub detail: String,
    /// Scores, the own seat's first, then on round the table; empty if they are not known.
    pub scores: Vec<i64>,
    /// Shares of the win in the same order; empty if they are not known.
    pub wins: Vec<f64>,
}

/// A line from a program; `A` is what it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "FromProgram")]
pub enum Said<A> {
    /// The first line: the program has understood the first line that it read.
    Ready {
        /// The version of the protocol that it speaks.
        protocol: u32,
    },
    /// Its answer to a decision.
    Act {
        /// The decision's number.
        number: u64,
        /// The answer.
        act: A,
    },
    /// Something to be kept for its next match of this game, in place of what was kept before.
    Note {
        /// Any JSON.
        note: Value,
    },
    /// It wants to know what earlier matches taught about its rivals.
    Models,
}

/// A line to a program that a match gives, in a form that can be sent late or again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Sent as it stands.
    Plain(String),
    /// A decision, by its number.
    Ask {
        /// The number.
        number: u64,
        /// The line from the decision itself on.
        rest: String,
    },
    /// What was answered to the decision with this number.
    Played {
        /// The number.
        number: u64,
        /// The act as JSON; `null` if it was none.
        act: String,
    },
    /// What the seat received, for a program that speaks its game's own protocol: of all lines, it is sent these alone.
    Frame {
        /// The exact text, without the transport's framing.
        text: String,
        /// Whether such a program answers it. If that answer is a decision, the next line is [`Line::Ask`].
        answered: bool,
    },
}

impl Line {
    /// What is asked, numbered.
    pub fn ask(number: u64, body: &impl Serialize) -> Self {
        let body = written(body);
        let rest = body.strip_prefix('{').unwrap_or_default().to_owned();
        Self::Ask { number, rest }
    }

    /// The line without its end. A decision may take so long from now; `None`: it was made before.
    #[must_use]
    pub fn text(&self, within: Option<Duration>) -> String {
        match self {
            Self::Plain(text) | Self::Frame { text, .. } => text.clone(),
            Self::Played { number, act } => {
                format!("{{\"type\":\"played\",\"number\":{number},\"act\":{act}}}")
            }
            Self::Ask { number, rest } => {
                let (ms, past) = (within.unwrap_or_default().as_millis(), within.is_none());
                format!(
                    "{{\"type\":\"ask\",\"number\":{number},\"deadline_ms\":{ms},\"past\":{past},{rest}"
                )
            }
        }
    }

    /// How long it is, in bytes, about.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Plain(text)
            | Self::Ask { rest: text, .. }
            | Self::Played { act: text, .. }
            | Self::Frame { text, .. } => text.len(),
        }
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The part of a decision's line that does not depend on when it is sent.
#[derive(Serialize)]
pub struct Body<'a, V, K, A> {
    pub(crate) ask: &'a K,
    pub(crate) view: &'a V,
    pub(crate) acts: Option<Vec<A>>,
}

/// What goes to and fro between a program's seat and what runs the program: lines are left here and taken, an
/// answer is handed in, and whether it was taken is reported. Its clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Post(Arc<Mutex<Tray>>);

#[derive(Debug, Default)]
struct Tray {
    lines: Vec<Line>,
    due: Option<u64>,
    bytes: usize,
    full: bool,
    answer: Option<(u64, Value)>,
    verdict: Option<Result<(), Illegal>>,
    native: bool,
    /// The message that was received last, where it is sent on as it is.
    frame: Option<String>,
}

/// There are too many lines, so that the match can no longer be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {} MiB to send", WAITING_MAX >> 20)]
pub struct TooMuch;

/// Bytes of lines that wait to be taken: a whole match at most, when its transcript is folded.
const WAITING_MAX: usize = 128 << 20;

impl Post {
    /// The post of a program that speaks its game's own protocol: it is sent what its seat receives as it stands
    /// ([`Line::Frame`]), and its answers are texts, as JSON strings.
    #[must_use]
    pub fn native() -> Self {
        let tray = Tray {
            native: true,
            ..Tray::default()
        };
        Self(Arc::new(Mutex::new(tray)))
    }

    /// Whether it is a post of [`Post::native`].
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.tray().native
    }

    /// The message that was received last, where it is sent on as it is.
    pub fn frame(&self) -> Option<String> {
        self.tray().frame.clone()
    }

    fn tray(&self) -> MutexGuard<'_, Tray> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, line: Line) {
        let mut tray = self.tray();
        match &line {
            Line::Ask { number, .. } => tray.due = Some(*number),
            Line::Played { .. } => tray.due = None,
            Line::Frame { text, .. } => tray.frame = Some(text.clone()),
            Line::Plain(_) => {}
        }
        tray.bytes = tray.bytes.saturating_add(line.len());
        tray.full |= tray.bytes > WAITING_MAX;
        if !tray.full {
            tray.lines.push(line);
        }
    }

    /// Takes the lines that came since the last time, in order.
    ///
    /// # Errors
    /// [`TooMuch`].
    pub fn take(&self) -> Result<Vec<Line>, TooMuch> {
        let mut tray = self.tray();
        tray.bytes = 0;
        match tray.full {
            true => Err(TooMuch),
            false => Ok(std::mem::take(&mut tray.lines)),
        }
    }

    /// The number of the decision that is due.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        self.tray().due
    }

    /// Hands in what the program answered to the decision with this number. The bot acts so when it thinks next.
    pub fn answer(&self, number: u64, act: Value) {
        let mut tray = self.tray();
        tray.answer = Some((number, act));
        tray.verdict = None;
    }

    pub(crate) fn answered(&self, number: u64) -> Option<Value> {
        let (to, act) = self.tray().answer.take()?;
        (to == number).then_some(act)
    }

    pub(crate) fn judge(&self, verdict: Result<(), Illegal>) {
        self.tray().verdict = Some(verdict);
    }

    /// Whether the answer that was handed in last was taken, or why not; `None`: it was not looked at yet.
    #[must_use]
    pub fn verdict(&self) -> Option<Result<(), Illegal>> {
        self.tray().verdict.take()
    }
}

/// Reads a line of a program, its act still untyped.
///
/// # Errors
/// [`LineError`].
pub fn read(line: &[u8]) -> Result<Said<Value>, LineError> {
    if line.len() > LINE_MAX {
        return Err(LineError::TooLong);
    }
    Ok(serde_json::from_slice(line)?)
}

/// Why a line of a program is not read.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// It has more than [`LINE_MAX`] bytes.
    #[error("a line longer than {LINE_MAX} bytes")]
    TooLong,
    /// It is none that a program may send, with the place of the fault.
    #[error("not a line of the protocol: {0}")]
    Unknown(#[from] serde_json::Error),
}

/// A line without its end.
#[must_use]
pub fn written(line: &impl Serialize) -> String {
    // The types here have no keys but strings, and no number that JSON lacks gets this far.
    serde_json::to_string(line).unwrap_or_default()
}

/// The JSON Schemas of a game's lines: `to_program` and `from_program`.
pub fn schemas<V, K, A, E>() -> Value
where
    ToProgram<V, K, A, E>: JsonSchema,
    Said<A>: JsonSchema,
{
    let schema = |of: fn(&mut SchemaGenerator) -> schemars::Schema| {
        let mut generator = SchemaGenerator::default();
        let mut schema = of(&mut generator);
        let definitions = generator.take_definitions(true);
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        schema
    };
    json!({
        "to_program": schema(ToProgram::<V, K, A, E>::json_schema),
        "from_program": schema(Said::<A>::json_schema),
    })
}

/// Times as whole milliseconds.
pub mod millis {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use std::time::Duration;

    /// Writes a time, if there is one, as milliseconds.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        let ms = time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        ms.serialize(to)
    }

    /// Reads a time, if there is one, from milliseconds.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(Duration::from_millis))
    }
}
