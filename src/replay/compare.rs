//! What another bot would have played: stored sessions are folded, and it is asked at each of their decisions.

use super::dialogue::{Replayed, Seen, watch};
use super::explain::{BotSeat, DECISIONS_MAX, Decision, builtin};
use super::explain_error::ExplainError;
use super::seat::SeatLine;
use super::setup::PROGRAM;
use crate::history::{self, Filter, PageAt, SessionRow};
use crate::programs::{Bots, Conduct, Driver, Launch, Opening};
use crate::store::types::{EntryId, SessionId, Side};
use crate::store::{Store, StoreError};
use crate::thinking::{Panicked, guarded};
use games::Histogram;
use games::answer::{Bounds, MARGIN};
use games::neutral::PREFIX;
use games::seat::{By, Decision as Deciding, Due, Extent, Fallback, ProgramPart, Search, Settings};
use games::stats::ClusteredMean;
use games::{Cause, Dialogue, Frame, Kit, Next};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Differences that are listed for a game; of more, only their number is kept.
pub const DIFFERENCES_MAX: usize = 200;
/// Characters of each answer in that list.
const TEXT_CHARS_MAX: usize = 400;
/// Lines of its standard error that are shown.
const STDERR_LINES: usize = 12;
/// Faults that are kept as sentences.
const FAULTS_MAX: usize = 16;
/// Sessions read at a time.
const PAGE: u32 = 100;
/// Searches recurse deeply: they need more stack than a thread's default.
const STACK_BYTES: usize = 8 << 20;

/// Who is compared with those who played.
#[derive(Clone, Debug)]
pub enum Candidate {
    /// The built-in bot of this name.
    Builtin(String),
    /// A user's program, and how such programs run.
    Program(Arc<Launch>, Bots),
}

/// Who is asked, how, and in which sessions.
#[derive(Clone)]
pub struct Comparing {
    /// Who is asked.
    pub candidate: Candidate,
    /// The game.
    pub kit: &'static dyn Kit,
    /// The most nodes of a built-in bot; [`u64::MAX`] if only time counts.
    pub nodes: u64,
    /// The longest that a built-in bot thinks about a decision.
    pub ceiling: Duration,
    /// How long before the wire's limit a program's answer must be ready.
    pub margin: Duration,
    /// Which sessions, besides that they are of the game and have ended.
    pub filter: Filter,
    /// How many of them at most, newest first.
    pub limit: u64,
    /// Ends the comparison with what was compared so far.
    pub stop: CancellationToken,
}

/// A candidate compared with those who played in the newest sessions of a game.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// The game.
    pub game: &'static str,
    /// The candidate: a built-in bot's name, or `bot:NAME@VERSION`.
    pub candidate: String,
    /// Sessions compared.
    pub sessions: u64,
    /// Whether there are more sessions than were wanted.
    pub more: bool,
    /// Sessions that were left out: their transcripts were pruned, or cannot be read or folded.
    pub left_out: u64,
    /// Decisions compared; those with one legal answer are not counted.
    pub decisions: u64,
    /// Those in which a fallback answered for the player, or nobody did: the candidate neither agreed nor differed.
    pub fallbacks: u64,
    /// The candidate's answer was what was played.
    pub agreed: u64,
    /// It was legal, in time, and another one.
    pub differed: u64,
    /// It was not legal.
    pub illegal: u64,
    /// There was none within the game's limit.
    pub late: u64,
    /// The candidate was not running.
    pub failed: u64,
    /// The share in which it agreed, of the decisions that no fallback took; `None` without such.
    pub agreement: Option<Agreement>,
    #[serde(skip)]
    shares: ClusteredMean,
    /// How long those who played took for these decisions.
    #[serde(rename = "played_ms", serialize_with = "shown_times")]
    pub played: Histogram,
    /// How long the candidate took, where it was running.
    #[serde(rename = "candidate_ms", serialize_with = "shown_times")]
    pub took: Histogram,
    /// Where it did not agree: the first 200 of the newest sessions.
    pub differences: Vec<Differs>,
    /// How many more such places there are.
    pub differences_more: u64,
    /// What else went wrong, in sentences.
    pub faults: Vec<String>,
}

/// A decision in which a candidate did not agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Differs {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The seat, where known.
    pub seat: Option<u8>,
    /// The session.
    pub session: SessionId,
    /// The entry that asked.
    pub entry: EntryId,
    /// What was played, at most its first 400 characters; `None`: nothing.
    pub played: Option<String>,
    /// What the candidate would play, at most its first 400 characters; `None`: nothing legal in time.
    pub would_play: Option<String>,
    /// `differs`, `illegal`, `late` or `failed`.
    pub how: &'static str,
}

/// The share of decisions in which a candidate agreed, with its 95 % interval: those of a session are not independent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The share.
    pub share: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

fn shown_times<S: Serializer>(times: &Histogram, to: S) -> Result<S::Ok, S::Error> {
    times_ms(times)
        .map(|[p50, p99, max]| json!({ "p50": p50, "p99": p99, "max": max }))
        .serialize(to)
}

/// Half of these durations, and 99 in 100 of them, are no longer, and none is; in milliseconds.
#[must_use]
pub fn times_ms(times: &Histogram) -> Option<[f64; 3]> {
    let ms = |share| Some(times.quantile(share)?.as_secs_f64() * 1e3);
    (times.count() > 0).then_some([ms(0.5)?, ms(0.99)?, ms(1.0)?])
}

/// A decision as it was, and what the candidate made of it in this time: an answer, or why there is none.
struct Weighed {
    decision: Decision,
    /// Whether those who played did not decide it.
    by_fallback: bool,
    said: Result<String, Missing>,
    took: Duration,
}

/// Why there is no answer that could be played.
enum Missing {
    Illegal,
    Late,
    Failed,
}

/// What came of a session.
struct Folded {
    weighed: Vec<Weighed>,
    conduct: Conduct,
}

/// Compares a candidate with those who played in the newest sessions of a game, one after the other, and reports their
/// number as it goes. Reads only, a few sessions at a time. It ends early with a candidate that does not run, if that
/// has answered nothing so far.
///
/// # Errors
/// [`StoreError`].
pub async fn compare(
    store: &Store,
    comparing: &Comparing,
    mut progress: impl FnMut(u64),
) -> Result<Comparison, StoreError> {
    let game = comparing.kit.card().name;
    let filter = Filter {
        game: Some(game.to_owned()),
        live: Some(false),
        ..comparing.filter.clone()
    };
    let mut found = Comparison {
        game,
        candidate: comparing.candidate.spec(),
        ..Comparison::default()
    };
    let mut at = PageAt::first(PAGE);
    loop {
        let page = history::sessions(store.reader(), &filter, &at).await?;
        for row in page.items.into_iter().filter(is_of_bot) {
            found.more = found.sessions == comparing.limit;
            if found.more || found.never_ran() {
                return Ok(found);
            }
            tokio::select! {
                folded = fold(store, comparing, &row) => found.add(&row, folded),
                () = comparing.stop.cancelled() => return Ok(found),
            }
            progress(found.sessions);
        }
        match page.next {
            Some(next) if !comparing.stop.is_cancelled() => at.after = Some(next),
            _ => return Ok(found),
        }
    }
}

/// Whether one of our bots played there, a built-in one or a user bot.
fn is_of_bot(row: &SessionRow) -> bool {
    let bot = &row.opened.bot;
    row.opened.side == Side::Player || builtin(bot).is_some() || bot.starts_with(PREFIX)
}

impl Candidate {
    /// As history has it: a built-in bot's name, or `bot:NAME@VERSION`.
    #[must_use]
    pub fn spec(&self) -> String {
        match self {
            Self::Builtin(name) => name.clone(),
            Self::Program(launch, _) => format!("{PREFIX}{}@{}", launch.name, launch.version),
        }
    }

    fn program(&self) -> Option<AskedProgram> {
        let Self::Program(launch, bots) = self else {
            return None;
        };
        let launch = Some(Arc::clone(launch));
        let driver = Driver::new(bots.clone(), self.spec(), launch);
        let part = driver.part(None);
        Some(AskedProgram { driver, part })
    }
}

impl Comparison {
    /// Whether the candidate failed, and answered nothing at all.
    #[must_use]
    pub const fn never_ran(&self) -> bool {
        self.failed > 0 && self.failed + self.late == self.decisions
    }

    fn add(&mut self, row: &SessionRow, folded: Result<Folded, ExplainError>) {
        let session = row.id.0;
        let Folded {
            weighed,
            mut conduct,
        } = match folded {
            Ok(folded) => folded,
            Err(why) => {
                self.left_out += 1;
                if !row.pruned {
                    self.note(format!("session {session}: {why}"));
                }
                return;
            }
        };
        self.sessions += 1;
        let before = self.agreed;
        let own = weighed.iter().filter(|one| !one.by_fallback).count();
        for one in weighed {
            self.count(row, one);
        }
        self.shares.add((self.agreed - before) as f64, own as f64);
        let ((low, high), share) = (self.shares.share_interval(), self.shares.value());
        let any = self.decisions > self.fallbacks;
        self.agreement = any.then_some(Agreement { share, low, high });
        conduct.faults.dedup();
        for why in &conduct.faults {
            self.note(format!("session {session}: {why}"));
        }
        let stderr: Vec<&str> = conduct.stderr.lines().collect();
        if self.never_ran() && !stderr.is_empty() {
            let last = stderr.len().saturating_sub(STDERR_LINES);
            let end = stderr.into_iter().skip(last).collect::<Vec<_>>();
            self.note(format!(
                "the end of its standard error:\n{}",
                end.join("\n")
            ));
        }
    }

    fn note(&mut self, fault: String) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }

    fn count(&mut self, row: &SessionRow, one: Weighed) {
        let Decision {
            entry,
            said: played,
            took_ms,
            ..
        } = one.decision;
        self.decisions += 1;
        self.fallbacks += u64::from(one.by_fallback);
        if !matches!(one.said, Err(Missing::Failed)) {
            self.took.add(one.took);
        }
        if let Some(ms) = took_ms.filter(|_| !one.by_fallback) {
            self.played.add(Duration::from_secs_f64(ms / 1e3));
        }
        let (how, count, would_play) = match one.said {
            Ok(_) if one.by_fallback => return,
            Ok(text) if text == played.as_deref().unwrap_or_default() => {
                self.agreed += 1;
                return;
            }
            Ok(text) => ("differs", &mut self.differed, Some(text)),
            Err(Missing::Illegal) => ("illegal", &mut self.illegal, None),
            Err(Missing::Late) => ("late", &mut self.late, None),
            Err(Missing::Failed) => ("failed", &mut self.failed, None),
        };
        *count += 1;
        if self.differences.len() == DIFFERENCES_MAX {
            self.differences_more += 1;
            return;
        }
        let cut = |text: String| text.chars().take(TEXT_CHARS_MAX).collect();
        self.differences.push(Differs {
            match_id: row.opened.match_id.clone(),
            seat: row.opened.seat,
            session: row.id,
            entry,
            played: played.map(cut),
            would_play: would_play.map(cut),
            how,
        });
    }
}

/// Leads the candidate through a session, on a thread of its own.
async fn fold(
    store: &Store,
    comparing: &Comparing,
    row: &SessionRow,
) -> Result<Folded, ExplainError> {
    let mut stored = row.opened.setup.clone();
    let mut note = Value::Null;
    stored[PROGRAM] = Value::Null;
    if let Candidate::Program(launch, _) = &comparing.candidate {
        stored[PROGRAM] = json!({ "fallback": launch.fallback });
        let known = history::note(store.reader(), &launch.name, comparing.kit.card().name).await?;
        note = known.unwrap_or_default();
    }
    let spec = comparing.candidate.spec();
    let ledger = PageAt::first(DECISIONS_MAX as u32);
    let ledger = history::ledger_page(store.reader(), &[row.id], &ledger)
        .await?
        .items;
    let fallbacks = ledger.into_iter().filter(|line| line.row.fallback);
    let seat = BotSeat::read_as(store, row, &spec, &stored).await?;
    let asked = Asked {
        program: comparing.candidate.program(),
        runtime: Handle::current(),
        comparing: comparing.clone(),
        fallbacks: fallbacks.map(|line| line.row.entry).collect(),
        weighed: Vec::new(),
        asking: None,
        last_asked: None,
    };
    let (reply, folded) = oneshot::channel();
    let row = row.clone();
    // Nobody waits for it after a stop.
    let work = move || drop(reply.send(asked.lead(seat, &row, note)));
    let thread = std::thread::Builder::new().name("compare".to_owned());
    let spawned = thread.stack_size(STACK_BYTES).spawn(work);
    spawned.map_err(|why| ExplainError::Unfoldable(format!("no thread for it: {why}")))?;
    let ended = |_| ExplainError::Unfoldable("folding it ended early".to_owned());
    folded.await.map_err(ended)?
}

/// A candidate that is a program.
struct AskedProgram {
    driver: Driver,
    part: ProgramPart,
}

/// A candidate in a session.
struct Asked {
    comparing: Comparing,
    program: Option<AskedProgram>,
    /// Where a program's answer is waited for.
    runtime: Handle,
    /// The entries that a fallback answered, as the ledger has it.
    fallbacks: HashSet<EntryId>,
    weighed: Vec<Weighed>,
    /// The decision that it is at.
    asking: Option<Decision>,
    /// The entry that asked last.
    last_asked: Option<EntryId>,
}

impl Asked {
    /// Replays the session, asks the candidate wherever the session's bot was asked, and ends it.
    fn lead(
        mut self,
        mut seat: BotSeat,
        row: &SessionRow,
        note: Value,
    ) -> Result<Folded, ExplainError> {
        if let Some(AskedProgram { driver, part }) = &mut self.program {
            seat.setup.post = Some(part.attend());
            let id = row.opened.match_id.as_str();
            let opening = Opening::new(self.comparing.kit, id, false, note, &seat.setup);
            *driver.opening() = Some(opening);
        }
        let unfoldable = |why: Panicked| ExplainError::Unfoldable(why.to_string());
        let mut dialogue = guarded(|| seat.dialogue()).map_err(unfoldable)??;
        let lines = seat.lines.iter().map(SeatLine::line);
        let see = |dialogue: &mut dyn Dialogue, seen: Seen<'_>| self.see(dialogue, &seen, &seat);
        let replayed = guarded(|| watch(&mut *dialogue, lines, see));
        let mut conduct = Conduct::default();
        if let Some(AskedProgram { driver, part }) = &mut self.program {
            if let Ok(Replayed {
                ending: Some(ending),
                ..
            }) = &replayed
            {
                driver.ends(ending);
            }
            driver.ends_by(row.cause.unwrap_or(Cause::Unterminated));
            // What it noted is not kept: it has not played.
            if let Some(leaving) = driver.leave(Some(part)) {
                conduct = self.runtime.block_on(leaving.conduct());
            }
        }
        if let Err(why) = replayed {
            let decision = self.asking.take().ok_or_else(|| unfoldable(why.clone()))?;
            conduct.faults.push(why.to_string());
            self.weigh(decision, Err(Missing::Failed), Duration::ZERO);
        }
        if row.cause.map(Cause::by_rules) != Some(Cause::Normal) {
            // The match may have been cut off while its bot was thinking.
            let last = self.last_asked;
            self.weighed.pop_if(|one| {
                let decision = &one.decision;
                decision.said.is_none() && !one.by_fallback && Some(decision.entry) == last
            });
        }
        let weighed = self.weighed;
        Ok(Folded { weighed, conduct })
    }

    fn weigh(&mut self, decision: Decision, said: Result<String, Missing>, took: Duration) {
        self.weighed.push(Weighed {
            by_fallback: decision.by_fallback || self.fallbacks.contains(&decision.entry),
            decision,
            said,
            took,
        });
    }

    /// Asks the candidate, if the session's bot was asked by this line.
    fn see(
        &mut self,
        dialogue: &mut dyn Dialogue,
        seen: &Seen<'_>,
        seat: &BotSeat,
    ) -> ControlFlow<()> {
        if self.comparing.stop.is_cancelled() {
            return ControlFlow::Break(());
        }
        if let Some(Next::Think {
            limit,
            target,
            fallback,
        }) = seen.next
        {
            self.asking = seat.decision(seen.line as usize);
            self.last_asked = self.asking.as_ref().map(|decision| decision.entry);
            let asked = {
                let asked = Bounds {
                    limit: *limit,
                    target: *target,
                };
                self.ask(dialogue, asked, fallback.clone())
            };
            if let Some((decision, (said, took))) = self.asking.take().zip(asked) {
                self.weigh(decision, said, took);
            }
        }
        if let Some(AskedProgram { driver, part }) = &mut self.program {
            driver.send(part);
        }
        ControlFlow::Continue(())
    }

    fn settings(&self) -> Settings {
        Settings {
            limits: self.comparing.kit.card().limits,
            margin: match self.program {
                Some(_) => self.comparing.margin,
                None => MARGIN,
            },
            ceiling: self.comparing.ceiling,
            nodes: self.comparing.nodes,
        }
    }

    /// What it decides within these bounds, and how long that took; `None` where only one answer is legal.
    fn ask(
        &mut self,
        dialogue: &mut dyn Dialogue,
        asked: Bounds,
        fallback: Frame,
    ) -> Option<(Result<String, Missing>, Duration)> {
        let stop = &self.comparing.stop;
        if asked.is_forced() && self.program.is_none() {
            return None;
        }
        let mut decision = Deciding::new(asked, fallback, self.settings(), self.program.is_some());
        let received = Instant::now();
        let elapsed = || match stop.is_cancelled() {
            true => Duration::MAX,
            false => received.elapsed(),
        };
        let (mut due, mut began) = (decision.due(), received);
        loop {
            due = match due {
                Due::Answer(reply) => {
                    let took = began.elapsed();
                    let said = match reply.by {
                        By::Forced => return None,
                        By::Bot if took > asked.limit => Err(Missing::Late),
                        By::Fallback(_) => Err(Missing::Late),
                        _ => Ok(reply.text),
                    };
                    return Some((said, took));
                }
                // Its fallback is not what is compared.
                Due::Think(Extent::Search(Search {
                    instead: Some(why), ..
                })) => {
                    let missing = match why {
                        Fallback::ProgramGone => Missing::Failed,
                        Fallback::ProgramIllegal => Missing::Illegal,
                        _ => Missing::Late,
                    };
                    return Some((Err(missing), began.elapsed()));
                }
                Due::Think(_) => {
                    let part = self.program.as_mut().map(|program| &mut program.part);
                    let thought = decision.think(dialogue, part, &elapsed);
                    // What is replayed ends with its bot.
                    thought.unwrap_or_else(|panic| resume_unwind(Box::new(panic.0)))
                }
                Due::Ask(question) => {
                    let program = self.program.as_mut()?;
                    began = Instant::now();
                    let asking = program.driver.ask(&mut program.part, question, began);
                    let reply = self.runtime.block_on(asking);
                    decision.answered(reply, &mut program.part, elapsed())
                }
            };
        }
    }
}
