//! Why one of our bots decided as it did: its seat of a stored match is folded up to the decision, and it thinks again.

use super::answer_times::AnswerTimes;
use super::answers::answer_words;
use super::dialogue::{replay, watch};
use super::explain_error::{ExplainError, Transcript};
use super::names::names_in;
use super::seat::{SeatLine, lines_from};
use super::setup::{dialogue_setup, fallback};
use crate::history::{self, FactRow, SessionRow};
use crate::store::types::{Direction, Entry, EntryId, SessionId, Side};
use crate::store::{MatchRow, Store};
use crate::thinking::guarded;
use games::neutral::PREFIX;
use games::scene::Names;
use games::{
    BotCard, Budget, Dialogue, DialogueSetup, Explanation, Frame, Kit, Next, Places, RecordedReply,
    Seat, Wire, bot_seed,
};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// Nodes of an explanation unless the caller names a number.
pub const NODES_DEFAULT: u64 = 50_000;
/// The most nodes.
pub const NODES_MAX: u64 = 2_000_000;
/// The longest that one explanation thinks.
pub const THINKS_MAX: Duration = Duration::from_secs(5);
/// The most decisions of a seat that are listed.
pub(super) const DECISIONS_MAX: usize = 100_000;

/// The fact that a fallback answered, and how its note begins.
const FALLBACK: &str = "fallback";

/// A decision of a seat.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = SeatDecision)]
pub struct Decision {
    /// The entry that asked for it.
    #[schema(value_type = i64)]
    pub entry: EntryId,
    /// When it asked, in microseconds since 1970-01-01 UTC; shown as RFC 3339.
    #[serde(rename = "at", serialize_with = "rfc3339")]
    #[schema(value_type = Timestamp)]
    pub at_us: i64,
    /// What was answered; `None`: nothing.
    pub said: Option<String>,
    /// The same in the game's words.
    pub words: String,
    /// From the question's arrival to the answer, in milliseconds: as in the deadline ledger, where that has it.
    pub took_ms: Option<f64>,
    /// The part of it in which the bot thought, in milliseconds, where that was measured.
    pub thought_ms: Option<f64>,
    /// How the answer came about, if not as usual: `fallback …` with the cause, `late`, `failed`, `local`; else empty.
    pub note: String,
    /// Whether a fallback answered, or nobody did, so that it was not the player's choice.
    #[serde(skip)]
    pub(super) by_fallback: bool,
}

fn rfc3339<S: serde::Serializer>(at_us: &i64, to: S) -> Result<S::Ok, S::Error> {
    match Timestamp::from_microsecond(*at_us) {
        Ok(at) => to.collect_str(&at),
        Err(_) => to.serialize_none(),
    }
}

/// An explanation of a decision, with the answer that was really given.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Explained {
    /// The game.
    #[schema(example = "koehandel")]
    pub game: &'static str,
    /// The bot.
    pub bot: String,
    /// Its version now; an earlier one may have played. `None`: there is no such bot any more.
    pub version: Option<u32>,
    /// How it plays and what a node is.
    pub description: &'static str,
    /// What values are in.
    pub value_unit: &'static str,
    /// What was asked: the exact text.
    pub asked: String,
    /// The decision as it was.
    pub decision: Decision,
    /// Whether it would answer now as it did then. A bot that searches may not: its random numbers, the plans that it
    /// kept and the time that it had are not restored.
    pub same: bool,
    /// Whether its time, 5 s, ended before its nodes: another machine then gives other reasons.
    pub out_of_time: bool,
    /// Why it would decide so now.
    pub explanation: Explanation,
}

/// A seat of a stored match that one of our bots played.
pub struct BotSeat {
    pub(super) kit: &'static dyn Kit,
    seat: u8,
    /// Whose transcript it is.
    side: Side,
    pub(super) setup: DialogueSetup,
    entries: Vec<Entry>,
    pub(super) lines: Vec<SeatLine>,
    /// Its players by their places.
    pub(super) names: Names,
    times: AnswerTimes,
    /// Facts on how answers came about: the entry, and a note.
    notes: Vec<(EntryId, String)>,
}

/// The session in which one of our bots played a seat, or our referee's transcript of it. `session` names one of
/// several, as where two of our bots sit at a foreign table: the seat of the second is not known.
///
/// # Errors
/// [`ExplainError::NoSeat`], [`ExplainError::Foreign`], [`ExplainError::Program`].
pub fn bot_session(
    match_id: &str,
    sessions: Vec<SessionRow>,
    seat: Option<u8>,
    session: Option<SessionId>,
) -> Result<SessionRow, ExplainError> {
    let known = sessions.iter().map(|row| Transcript {
        seat: row.opened.seat.map(u16::from),
        session: Some(row.id.0),
    });
    let known: Vec<Transcript> = known.collect();
    let fits = |row: &SessionRow| {
        let own = row.opened.seat;
        let sits = seat.is_none_or(|seat| own == Some(seat) || own.is_none() && session.is_some());
        sits && session.is_none_or(|session| row.id == session)
    };
    let found = sessions.into_iter().filter(fits);
    // A bot's own transcript says how it was seeded and advised.
    let best = found.min_by_key(|row| row.opened.side != Side::Player);
    let Some(row) = best else {
        return Err(ExplainError::NoSeat {
            match_id: match_id.to_owned(),
            what: Transcript {
                seat: seat.map(u16::from),
                session: session.map(|session| session.0),
            },
            known,
        });
    };
    if row.opened.side == Side::Referee && builtin(&row.opened.bot).is_none() {
        let match_id = match_id.to_owned();
        let seat = row.opened.seat.unwrap_or_default().into();
        return Err(match row.opened.bot.starts_with(PREFIX) {
            true => ExplainError::Program { match_id, seat },
            false => ExplainError::Foreign { match_id, seat },
        });
    }
    Ok(row)
}

/// The bot of a seat that one of our bots plays in the referee's process.
pub(super) fn builtin(spec: &str) -> Option<&str> {
    let named = spec.strip_prefix("builtin:");
    named.or(Some(spec).filter(|spec| *spec == "filler"))
}

impl BotSeat {
    /// Reads the transcript of a session that [`bot_session`] gave, and what is known of its answers.
    ///
    /// # Errors
    /// [`ExplainError::Store`]; [`ExplainError::Unfoldable`] for a game that does not exist.
    pub async fn read(store: &Store, session: &SessionRow) -> Result<Self, ExplainError> {
        let opened = &session.opened;
        let bot = match opened.side {
            Side::Player => &opened.bot,
            Side::Referee => builtin(&opened.bot).unwrap_or_default(),
        };
        let seat = Self::read_as(store, session, bot, &opened.setup).await?;
        let row = history::match_row(store.reader(), &opened.match_id).await?;
        Ok(Self {
            names: row.map_or_else(Names::default, |row| {
                names_in(seat.kit, &row, Some(session), false)
            }),
            times: AnswerTimes::read(store, std::slice::from_ref(session)).await?,
            ..seat
        })
    }

    /// The same with another bot in its place. It starts from what the session started from, except that `stored` says
    /// which program it is. Names and times of answers, which are for people, are not read.
    pub(super) async fn read_as(
        store: &Store,
        session: &SessionRow,
        bot: &str,
        stored: &Value,
    ) -> Result<Self, ExplainError> {
        let opened = &session.opened;
        let unknown = || ExplainError::Unfoldable(format!("no game is called {}", opened.game));
        let kit = store.reader().kit(&opened.game).ok_or_else(unknown)?;
        let ours = opened.side == Side::Player;
        let setup = if ours {
            dialogue_setup(store, kit, bot, opened.seed, stored).await?
        } else {
            DialogueSetup {
                models: true,
                fallback: fallback(stored).to_owned(),
                ..DialogueSetup::new(bot, opened.seed)
            }
        };
        let entries = history::whole_transcript(store.reader(), session).await?;
        let facts = history::facts(store.reader(), &opened.match_id).await?;
        let own = facts.into_iter().filter(|fact| fact.session == session.id);
        Ok(Self {
            kit,
            seat: opened.seat.unwrap_or_default(),
            side: opened.side,
            setup,
            lines: lines_from(opened.side, kit, &entries),
            entries,
            names: Names::default(),
            times: AnswerTimes::default(),
            notes: own
                .filter_map(|fact| Some((fact.entry?, note(&fact)?)))
                .collect(),
        })
    }

    /// The same for readers who may know all of the match: also who has which number on the wire.
    #[must_use]
    pub fn open(self, row: &MatchRow, session: &SessionRow) -> Self {
        Self {
            names: names_in(self.kit, row, Some(session), true),
            ..self
        }
    }

    /// A player that could go on with the match from one of these decisions (`drover play --from`); `None`: nobody can.
    #[must_use]
    pub fn heir(&self) -> Option<String> {
        let strongest = self.kit.card().bots.iter().max_by_key(|card| card.rung);
        match self.kit.card().wire {
            _ if self.side == Side::Player => None,
            Wire::Hub => None,
            Wire::Stdio => Some("cmd:./mybot".to_owned()),
            Wire::Callbacks => strongest.map(|card| format!("builtin:{}", card.name)),
        }
    }

    /// Every decision of the seat, in order. Folds the whole transcript: call it where that may take a while.
    ///
    /// # Errors
    /// [`ExplainError::Unfoldable`].
    pub fn decisions(&self) -> Result<Vec<Decision>, ExplainError> {
        let replayed = guarded(|| {
            let mut dialogue = self.dialogue()?;
            Ok::<_, ExplainError>(replay(
                &mut *dialogue,
                self.lines.iter().map(SeatLine::line),
            ))
        });
        let replayed = replayed.map_err(|panic| ExplainError::Unfoldable(panic.to_string()))??;
        let asking = replayed.decisions.into_iter().take(DECISIONS_MAX);
        let lines = asking.filter_map(|(line, _)| usize::try_from(line).ok());
        Ok(lines.filter_map(|line| self.decision(line)).collect())
    }

    /// Explains the decision that an entry asks for, with at most `nodes` nodes and within [`THINKS_MAX`]. Blocks for
    /// that long.
    ///
    /// # Errors
    /// [`ExplainError::NoEntry`], [`ExplainError::NoDecision`], [`ExplainError::Unfoldable`].
    pub fn explain(&self, entry: EntryId, nodes: u64) -> Result<Explained, ExplainError> {
        let explained = guarded(|| self.think_again(entry, nodes, THINKS_MAX));
        explained.map_err(|panic| ExplainError::Unfoldable(panic.to_string()))?
    }

    fn think_again(
        &self,
        entry: EntryId,
        nodes: u64,
        within: Duration,
    ) -> Result<Explained, ExplainError> {
        let at = self.line_of(entry)?;
        let (before, line) = (self.lines.get(..at), self.lines.get(at));
        let no_decision = |why| ExplainError::NoDecision {
            entry: entry.0,
            why,
        };
        if !self.setup.fallback.is_empty() {
            return Err(no_decision("a user bot gives no reasons"));
        }
        let bot = self.card();
        let mut dialogue = self.dialogue()?;
        let before = before.into_iter().flatten().map(SeatLine::line);
        watch(&mut *dialogue, before, |dialogue, _| {
            // A bot that does not search decides each time again, so that it draws the same random numbers.
            if bot.is_some_and(|bot| !bot.thinks) {
                let _ = dialogue.think(Budget::nodes(1), &mut Frame::new());
            }
            ControlFlow::Continue(())
        });
        let text = line.map_or("", |line| line.text.as_str());
        match dialogue.receive(text.as_bytes()) {
            Ok(Next::Think { .. }) => {}
            Ok(Next::Send(_)) => return Err(no_decision("its answer needs no thought")),
            Ok(Next::Over(_)) => return Err(no_decision("it announces the end of the match")),
            Ok(Next::Wait) => return Err(no_decision("it needs no answer")),
            Err(_) => return Err(no_decision("it is not of the game's wire")),
        }
        let (began, out_of_time) = (Instant::now(), Cell::new(false));
        let budget = Budget {
            nodes: nodes.clamp(1, NODES_MAX),
            stop: &|| {
                out_of_time.set(began.elapsed() >= within);
                out_of_time.get()
            },
        };
        let unsound = || no_decision("it contradicts the rules or earlier messages");
        let explanation = dialogue.explain(budget).ok_or_else(unsound)?;
        let card = self.kit.card();
        let words = |answer: &str| card.answered(text.as_bytes(), answer, &self.names);
        let explanation = explanation.in_words(words, |about| self.who(about));
        let decision = self.decision(at).ok_or_else(unsound)?;
        Ok(Explained {
            game: card.name,
            bot: self.setup.bot.clone(),
            version: bot.map(|bot| bot.version),
            description: bot.map_or("", |bot| bot.description),
            value_unit: card.value_unit,
            asked: text.to_owned(),
            same: decision.said.as_deref().unwrap_or_default() == explanation.answer,
            decision,
            out_of_time: out_of_time.get(),
            explanation,
        })
    }

    /// The player that a belief is about, by the word for its place.
    fn who(&self, about: &str) -> String {
        let card = self.kit.card();
        if let (Places::Named(_), Some(place)) = (card.places, card.places.clockwise(about)) {
            return self.names.name(place.into());
        }
        match (about, about.parse::<u8>()) {
            ("own", _) => "itself".to_owned(),
            ("all", _) => "everybody".to_owned(),
            (_, Ok(number)) if card.teams.is_some() => self.names.of_number(number.into()),
            // Numbers on the wire count from 1.
            (_, Ok(number)) if card.places == Places::Unknown => {
                self.names.name(usize::from(number).saturating_sub(1))
            }
            (_, Ok(seat)) => self.names.name(seat.into()),
            (about, Err(_)) => about.to_owned(),
        }
    }

    pub(super) fn card(&self) -> Option<&'static BotCard> {
        let mut bots = self.kit.card().bots.iter();
        bots.find(|card| card.name == self.setup.bot)
    }

    pub(super) fn dialogue(&self) -> Result<Box<dyn Dialogue>, ExplainError> {
        let opened = self.kit.dialogue(&self.setup);
        opened.map_err(|error| ExplainError::Unfoldable(error.to_string()))
    }

    /// The line that the bot received with this entry.
    fn line_of(&self, entry: EntryId) -> Result<usize, ExplainError> {
        let id = |entry: &Entry| entry.id;
        let found = self.entries.iter().position(|stored| stored.id == entry);
        let Some(found) = found else {
            return Err(ExplainError::NoEntry {
                entry: entry.0,
                seat: self.seat.into(),
                first: self.entries.first().map(id).map_or(0, |id| id.0),
                last: self.entries.last().map(id).map_or(0, |id| id.0),
            });
        };
        let asked = |line: &SeatLine| line.direction == Direction::In && line.at == found;
        let asked = self.lines.iter().position(asked);
        let why = "it is an answer, or only a part of a message";
        asked.ok_or(ExplainError::NoDecision {
            entry: entry.0,
            why,
        })
    }

    pub(super) fn decision(&self, line: usize) -> Option<Decision> {
        let asked = self.lines.get(line)?;
        let call = self.entries.get(asked.at)?;
        let answers = self.lines.iter().skip(line + 1);
        let answers = answers.take_while(|line| line.direction == Direction::Out);
        let said = answers.last();
        let answer = said.and_then(|said| self.entries.get(said.at));
        // In a referee's transcript a reply that never came stands in its place.
        let next = self.entries.get(asked.at + 1).filter(|_| said.is_none());
        let missing = next.filter(|next| next.direction != call.direction);
        let missing = missing.map(|next| RecordedReply::decode(&next.text));
        let last = answer.map_or(call.id, |answer| answer.id);
        let noted = self.notes.iter();
        let noted = noted.filter(|(entry, _)| (call.id..=last).contains(entry));
        let mut notes: Vec<&str> = noted.map(|(_, note)| note.as_str()).collect();
        let missing = match missing {
            Some(RecordedReply::Late) => Some("late"),
            Some(RecordedReply::Failed(_) | RecordedReply::Dead) => Some("failed"),
            _ => None,
        };
        let by_fallback = missing.is_some() || notes.iter().any(|note| note.starts_with(FALLBACK));
        notes.extend(missing);
        let time = self.times.asked_by(call.id);
        let took_ms = answer.map(|answer| (answer.at_us - call.at_us).max(0) as f64 / 1e3);
        Some(Decision {
            entry: call.id,
            at_us: call.at_us,
            words: answer_words(self.kit, self.side, &self.lines, line, &self.names),
            said: said.map(|said| said.text.clone()),
            took_ms: time.map(|time| time.took_ms).or(took_ms),
            thought_ms: time.and_then(|time| time.thought_ms),
            note: notes.join(", "),
            by_fallback,
        })
    }
}

/// What a fact states about how an answer came about.
fn note(fact: &FactRow) -> Option<String> {
    let text = |name: &str| fact.data.get(name).and_then(Value::as_str);
    match fact.kind.as_str() {
        FALLBACK => Some(format!("{FALLBACK} {}", text("cause").unwrap_or_default())),
        "local" | "refused" | "quarantined" => Some(fact.kind.clone()),
        _ => None,
    }
}

/// The seeds of bots in this process, by seat, in a match with this seed; 0 for other players.
#[must_use]
pub fn builtin_seeds(seed: u64, specs: &[String]) -> Vec<u64> {
    let seeds = (0..).map(Seat).zip(specs);
    seeds
        .map(
            |(seat, spec)| match builtin(spec).is_some() || spec.starts_with(PREFIX) {
                true => bot_seed(seed, seat),
                false => 0,
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{BotSeat, Decision, ExplainError, NODES_MAX, bot_session, builtin_seeds};
    use crate::history;
    use crate::store::tests::fake::{
        Pen, match_id, new_match, new_session, opened, received, said,
    };
    use crate::store::{EntryId, NewSession, Side, Store};
    use games::{Fact, Seat, bot_seed};
    use serde_json::json;
    use std::time::Duration;

    async fn seat(store: &Store, seat: u8) -> Result<BotSeat, ExplainError> {
        let sessions = history::sessions_of(store.reader(), &match_id(1))
            .await
            .unwrap();
        let session = bot_session(&match_id(1), sessions, Some(seat), None)?;
        BotSeat::read(store, &session).await
    }

    fn shown(decisions: &[Decision]) -> Vec<(i64, Option<&str>, &str)> {
        let all = decisions.iter();
        all.map(|one| (one.entry.0, one.said.as_deref(), one.note.as_str()))
            .collect()
    }

    #[tokio::test]
    async fn a_seat_is_led_to_the_decision_with_what_was_said_and_not_thought() {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        let lines = vec![
            received("ask"),
            said("7"),
            received("say hello"),
            said("hello"),
        ];
        pen.write(&store, lines).await;
        let mut append = pen.append(vec![
            received("ask how=long"),
            said("?a=fallback"),
            said("9"),
        ]);
        let fact = Fact::new("fallback", json!({ "cause": "late" }));
        append.facts.push((fact, None));
        pen.send(&store, append).await;
        let read = seat(&store, 0).await.unwrap();
        let decisions = read.decisions().unwrap();
        let late = (5, Some("9"), "fallback late");
        assert_eq!(shown(&decisions), [(1, Some("7"), ""), late]);
        // As a dialogue that received and said the same.
        let mut dialogue = store
            .reader()
            .kit("toy")
            .unwrap()
            .dialogue(&read.setup)
            .unwrap();
        for (text, answer) in [("ask", "7"), ("say hello", "hello")] {
            let _ = dialogue.receive(text.as_bytes()).unwrap();
            dialogue.said(answer);
        }
        let _ = dialogue.receive(b"ask how=long").unwrap();
        let explained = read.explain(EntryId(5), u64::MAX).unwrap();
        assert_eq!(
            Some(&explained.explanation.answer),
            answer(&*dialogue).as_ref()
        );
        assert_eq!(explained.explanation.nodes, NODES_MAX);
        assert!(!explained.out_of_time);
        let stopped = read.think_again(EntryId(5), 9, Duration::ZERO).unwrap();
        assert!(stopped.out_of_time && stopped.explanation.nodes == 0);
        assert_eq!(
            (explained.asked.as_str(), &explained.decision),
            ("ask how=long", &decisions[1])
        );
        assert_ne!(
            read.explain(EntryId(1), 1).unwrap().explanation.answer,
            explained.explanation.answer
        );
        for (entry, why) in [
            (3, "its answer needs no thought"),
            (7, "it is an answer, or only a part of a message"),
            (8, "whose entries are 1 to 7"),
        ] {
            let error = read.explain(EntryId(entry), 1).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    fn answer(dialogue: &dyn games::Dialogue) -> Option<String> {
        let explained = dialogue.explain(games::Budget::nodes(1));
        explained.map(|explained| explained.answer)
    }

    #[tokio::test]
    async fn a_bot_in_the_referees_process_is_found_by_the_referees_transcript() {
        let (_folder, store) = opened().await;
        store.open_match(new_match(1, true)).await.unwrap();
        let seated = ["builtin:quick", "url:http://host/s3cret", "bot:mine@1"];
        for (at, bot) in (0u8..).zip(seated) {
            let session = NewSession {
                bot: bot.into(),
                seed: 5,
                ..new_session(1, Side::Referee, at)
            };
            let mut pen = Pen::new(&store, None, session);
            let late = vec![
                said("ask"),
                received("\u{1}late"),
                said("ask"),
                received("7"),
            ];
            pen.write(&store, late).await;
        }
        let read = seat(&store, 0).await.unwrap();
        let decisions = read.decisions().unwrap();
        assert_eq!(shown(&decisions), [(1, None, "late"), (3, Some("7"), "")]);
        assert_eq!((read.setup.bot.as_str(), read.setup.seed), ("quick", 5));
        let explained = read.explain(EntryId(3), 9).unwrap();
        assert_eq!(
            (explained.version, explained.description),
            (Some(1), "Names 1.")
        );
        let foreign = seat(&store, 1).await.err().unwrap().to_string();
        assert!(
            foreign.contains("not played by one of our bots"),
            "{foreign}"
        );
        assert!(!foreign.contains("s3cret"), "{foreign}");
        let program = seat(&store, 2).await.err().unwrap().to_string();
        assert!(
            program.contains("a user bot, which gives no reasons"),
            "{program}"
        );
    }

    #[test]
    fn bots_in_this_process_have_the_seeds_that_they_played_with() {
        let specs = ["builtin:quick", "cmd:x", "filler", "bot:mine@1"].map(str::to_owned);
        let seeds = [
            bot_seed(3, Seat(0)),
            0,
            bot_seed(3, Seat(2)),
            bot_seed(3, Seat(3)),
        ];
        assert_eq!(builtin_seeds(3, &specs), seeds);
    }
}
