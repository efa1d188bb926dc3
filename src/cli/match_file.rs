//! A match as a file: what `drover match export --format json` writes, and what is read back of it.
//!
//! A file is read whole or not at all: every field must be there, and its digest must be that of the rest.

use super::common::read_text;
use super::usage::UsageError;
use super::{database, happened};
use crate::config::Durability;
use crate::history::{self, Contents, FactRow, GameRules, MatchEntry, SessionRow};
use crate::replay::ADVICE;
use crate::secrets::hexadecimal;
use crate::store::types::{
    Append, Close, Direction, EntryId, FactAt, IMPORTED, MatchResult, NewEntry, NewSession,
    SessionId, Side,
};
use crate::store::{MatchRow, Place, Prune, SeatRow, Settings, Store};
use crate::tournament::Deal;
use anyhow::{Context as _, ensure};
use games::{Cause, Fact, Kit};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use tempfile::TempDir;

/// What a file says it is.
const FORMAT: &str = "drover match 1";
/// The most bytes of a file.
const BYTES_MAX: u64 = 64 << 20;
/// The most entries of one append.
const ENTRIES_AT_ONCE: usize = 1_024;

/// A match as a file holds it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchFile {
    format: String,
    /// The version of Drover that has written it.
    drover: String,
    /// The versions of the built-in bots on its seats, where they are sure.
    bots: BTreeMap<String, u32>,
    /// SHA-256 of everything else, as JSON without blanks whose keys are in the alphabet's order.
    digest: String,
    #[serde(rename = "match")]
    row: Row,
    sessions: Vec<Session>,
    entries: Vec<Line>,
    facts: Vec<Noted>,
    /// What its deck follows from, in a tournament: commitment, and secret and seed once that is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deal: Option<Value>,
    /// What happened, each event once: for readers, since it follows from the facts. Files of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    happened: Vec<Value>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    game: String,
    referee: String,
    market: u64,
    ours: bool,
    started: Timestamp,
    ended: Option<Timestamp>,
    cause: Option<Cause>,
    blame: Option<u8>,
    detail: String,
    scores: Vec<i64>,
    setup: Value,
    seats: Vec<SeatRow>,
    tournament: Option<Place>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Session {
    id: SessionId,
    opened: NewSession,
    started: Timestamp,
    last_entry: Option<EntryId>,
    entries: Option<u64>,
    ended: Option<Timestamp>,
    cause: Option<Cause>,
    detail: String,
    scores: Vec<i64>,
    pruned: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: EntryId,
    session: SessionId,
    side: Side,
    seat: Option<u8>,
    bot: String,
    seq: u64,
    at: Timestamp,
    direction: Direction,
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Noted {
    id: i64,
    session: SessionId,
    seat: Option<u8>,
    bot: String,
    entry: Option<EntryId>,
    kind: String,
    data: Value,
}

/// A match as it is stored.
pub(super) struct Stored<'a> {
    pub(super) row: &'a MatchRow,
    pub(super) contents: &'a Contents,
    pub(super) entries: &'a [MatchEntry],
    pub(super) facts: &'a [FactRow],
}

impl Stored<'_> {
    /// The match as a file.
    ///
    /// # Errors
    /// If the rest of it cannot be read.
    pub(super) async fn written(&self, store: &Store) -> anyhow::Result<Value> {
        let row = self.row;
        let only = history::only_versions(store.reader()).await?;
        let specs = row.seats.iter().map(|seat| seat.spec.as_str());
        let bots = specs.filter_map(|spec| spec.strip_prefix(games::neutral::BUILT_IN));
        let bots = bots.filter_map(|bot| {
            let version = only.get(&(row.game.clone(), bot.to_owned()))?;
            Some((bot.to_owned(), *version))
        });
        let sessions: &[SessionRow] = &self.contents.sessions;
        let mut file = json!({
            "format": FORMAT,
            "drover": env!("CARGO_PKG_VERSION"),
            "bots": bots.collect::<BTreeMap<_, _>>(),
            "match": row,
            "sessions": sessions,
            "entries": self.entries,
            "facts": self.facts,
        });
        if let Some(deal) = Deal::read(store, row).await? {
            file["deal"] = json!(deal);
        }
        let events = match store.reader().kit(&row.game) {
            Some(_) => happened::read(store, row).await?,
            None => Vec::new(),
        };
        if !events.is_empty() {
            file["happened"] = happened::data(&events).into();
        }
        file["digest"] = digest(&file).into();
        Ok(file)
    }
}

/// The digest of a file without its own.
fn digest(file: &Value) -> String {
    let mut rest = file.clone();
    if let Value::Object(fields) = &mut rest {
        fields.remove("digest");
    }
    hexadecimal(&Sha256::digest(rest.to_string()))
}

impl MatchFile {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(path: &Path) -> Result<Self, UsageError> {
        let text = read_text(path, "a match's file", BYTES_MAX)?;
        Self::parse(&text).map_err(|why| {
            let shown = path.display();
            UsageError(format!(
                "{shown} is no match that `drover match export --format json` has written: {why:#}"
            ))
        })
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let whole: Value = serde_json::from_str(text)?;
        ensure!(whole["format"] == FORMAT, "its format is not {FORMAT:?}");
        ensure!(
            whole["digest"] == digest(&whole),
            "its digest is not that of its content: it was changed or cut"
        );
        let file: Self = serde_json::from_value(whole.clone())?;
        // What may be null must be there, too.
        ensure!(serde_json::to_value(&file)? == whole, "fields are missing");
        file.check()?;
        Ok(file)
    }

    /// That it is one match which is over, with whole transcripts.
    fn check(&self) -> anyhow::Result<()> {
        let row = &self.row;
        let is_id = row.id.parse::<ulid::Ulid>().is_ok();
        ensure!(is_id, "{:?} is no match's id", row.id);
        ensure!(row.ended.is_some(), "the match has not ended");
        ensure!(
            games::find(&row.game).is_some(),
            "there is no game {:?}",
            row.game
        );
        let numbers = row.seats.iter().map(|seat| usize::from(seat.seat));
        ensure!(numbers.eq(0..row.seats.len()), "its seats are not in order");
        let scored = row.scores.is_empty() || row.scores.len() == row.seats.len();
        ensure!(scored, "it has scores, but not one for each seat");
        for session in &self.sessions {
            let id = session.id.0;
            let opened = &session.opened;
            let fits = opened.match_id == row.id && opened.game == row.game;
            ensure!(fits, "session {id} is of another match");
            ensure!(session.ended.is_some(), "session {id} has not ended");
            ensure!(
                !session.pruned,
                "the transcript of session {id} was given up"
            );
            let seat = opened.seat.map(usize::from);
            let is_seat = seat.is_none_or(|seat| seat < row.seats.len());
            ensure!(
                is_seat,
                "session {id} is of a seat that the match does not have"
            );
            let same = self.sessions.iter().filter(|other| other.id.0 == id);
            ensure!(same.count() == 1, "session {id} is there twice");
            let lines = self.lines(session.id);
            let ordered = lines.iter().map(|line| line.seq).eq(0..lines.len() as u64);
            let counted = session.entries.unwrap_or(0) == lines.len() as u64;
            ensure!(ordered && counted, "entries of session {id} are missing");
        }
        let known = |id: SessionId| self.sessions.iter().any(|session| session.id == id);
        let sessions = self.entries.iter().map(|line| line.session);
        let mut sessions = sessions.chain(self.facts.iter().map(|fact| fact.session));
        ensure!(
            sessions.all(known),
            "it has lines of a session that it does not have"
        );
        let entries: HashMap<EntryId, SessionId> = self
            .entries
            .iter()
            .map(|line| (line.id, line.session))
            .collect();
        let mut noted = self
            .facts
            .iter()
            .filter_map(|fact| Some((fact.entry?, fact.session)));
        ensure!(
            noted.all(|(entry, session)| entries.get(&entry) == Some(&session)),
            "it has facts of entries that it does not have"
        );
        Ok(())
    }

    fn lines(&self, session: SessionId) -> Vec<&Line> {
        let lines = self.entries.iter().filter(|line| line.session == session);
        let mut lines: Vec<&Line> = lines.collect();
        lines.sort_by_key(|line| line.seq);
        lines
    }

    /// The match's id.
    pub(super) fn id(&self) -> &str {
        &self.row.id
    }

    /// Stores the match as one that is over, whole or not at all. `marked`: as one that was imported, whose referee and
    /// numbers are nobody's. No place in a tournament is filled, and nothing is learnt from it.
    ///
    /// # Errors
    /// If it is there already, or cannot be stored.
    pub(super) async fn store(&self, store: &Store, marked: bool) -> anyhow::Result<()> {
        let id = self.id();
        if let Some(found) = history::match_row(store.reader(), id).await? {
            let sessions = history::sessions_of(store.reader(), id).await?;
            let ended = sessions.iter().filter(|row| row.ended_us.is_some()).count();
            let is_whole =
                ended == self.sessions.len() && (found.ended_us.is_some() || !found.ours);
            let is_left = found.referee == IMPORTED && !is_whole;
            ensure!(is_left, "match {id} is there already");
            // An import was cut off.
            store.prune(Prune::Match(id.to_owned())).await?;
        }
        let stored = self.store_all(store, marked).await;
        if stored.is_err()
            && let Err(error) = store.prune(Prune::Match(id.to_owned())).await
        {
            tracing::warn!(%error, "what was imported so far stays until the next import");
        }
        stored
    }

    async fn store_all(&self, store: &Store, marked: bool) -> anyhow::Result<()> {
        let row = &self.row;
        let kit = games::find(&row.game).context("the game is known")?;
        let seats = row.seats.iter().cloned().map(|seat| match marked {
            // Of a tournament that this database does not have.
            true => SeatRow {
                name: seat.entrant.or(seat.name),
                entrant: None,
                ..seat
            },
            false => seat,
        });
        store
            .open_match(MatchRow {
                id: row.id.clone(),
                game: row.game.clone(),
                referee: match marked {
                    true => IMPORTED.to_owned(),
                    false => row.referee.clone(),
                },
                market: if marked { 0 } else { row.market },
                ours: row.ours,
                started_us: row.started.as_microsecond(),
                setup: row.setup.clone(),
                seats: seats.collect(),
                ..MatchRow::default()
            })
            .await?;
        for session in &self.sessions {
            self.store_session(store, kit, session, marked).await?;
        }
        if row.ours {
            store.close_match(&row.id, self.result()).await?;
        }
        Ok(())
    }

    fn result(&self) -> MatchResult {
        let row = &self.row;
        let seats = row.seats.iter();
        MatchResult {
            blame: row.blame,
            detail: row.detail.clone(),
            participation: seats.map(|seat| seat.participation.clone()).collect(),
            ..MatchResult::new(
                row.ended.map_or(0, Timestamp::as_microsecond),
                row.cause.unwrap_or(Cause::Unterminated),
                row.scores.clone(),
            )
        }
    }

    async fn store_session(
        &self,
        store: &Store,
        kit: &dyn Kit,
        session: &Session,
        marked: bool,
    ) -> anyhow::Result<()> {
        let id = store.next_session();
        let mut opened = session.opened.clone();
        if let Value::Object(setup) = &mut opened.setup {
            // Numbers of another database's models.
            setup.remove(ADVICE);
        }
        if marked {
            opened.referee = IMPORTED.to_owned();
        }
        let mut open = Some(Box::new(opened));
        let (mut previous, mut seq) = (None, 0);
        let mut numbers: HashMap<EntryId, (EntryId, i64)> = HashMap::new();
        for lines in self.lines(session.id).chunks(ENTRIES_AT_ONCE) {
            let entries = lines.iter().map(|line| {
                NewEntry::new(line.at.as_microsecond(), line.direction, line.text.clone())
            });
            let append = Append {
                open: open.take(),
                entries: entries.collect(),
                ..Append::after(id, previous, seq)
            };
            let last = store.append(append).await?.last;
            let last = last.context("entries were stored")?;
            // The entries of one append have numbers in a row.
            for (number, line) in (last.0 + 1 - lines.len() as i64..).zip(lines) {
                numbers.insert(line.id, (EntryId(number), line.at.as_microsecond()));
            }
            previous = Some(last);
            seq += lines.len() as u64;
        }
        let append = Append {
            close: Some(Box::new(self.close(kit, session, &numbers))),
            open: open.take(),
            ..Append::after(id, previous, seq)
        };
        store.append(append).await?;
        Ok(())
    }

    /// How a session ended, with its facts.
    fn close(
        &self,
        kit: &dyn Kit,
        session: &Session,
        numbers: &HashMap<EntryId, (EntryId, i64)>,
    ) -> Close {
        let own = self.facts.iter().filter(|fact| fact.session == session.id);
        let first = numbers.values().min().copied();
        let facts = own.filter_map(|noted| {
            let fact = Fact {
                kind: noted.kind.clone(),
                data: noted.data.clone(),
            };
            // What was noted before the first entry stands there.
            let stored = noted
                .entry
                .map_or(first, |entry| numbers.get(&entry).copied());
            let (entry, at_us) = stored?;
            let bluff = kit.card().bluff(&fact);
            Some(FactAt {
                entry,
                at_us,
                fact,
                bluff,
            })
        });
        let seats = self.row.seats.len().max(1);
        let from = usize::from(session.opened.seat.unwrap_or(0)) % seats;
        let shares = self.row.seats.iter().cycle().skip(from).take(seats);
        let shares: Option<Vec<f64>> = shares.map(|seat| seat.win_share).collect();
        Close {
            detail: session.detail.clone(),
            scores: session.scores.clone(),
            wins: match session.scores.is_empty() {
                true => shares.unwrap_or_default(),
                false => Vec::new(),
            },
            facts: facts.collect(),
            ..Close::new(
                session.ended.map_or(0, Timestamp::as_microsecond),
                session.cause.unwrap_or(Cause::Unterminated),
            )
        }
    }
}

/// Whether this names a file rather than a match: no match's id has a dot or a slash.
pub(super) fn is_file(name: &str) -> bool {
    name.contains(['.', '/']) || Path::new(name).exists()
}

/// A file's match in a database of its own, which goes with this.
pub(super) struct Unpacked {
    _folder: TempDir,
    pub(super) store: Store,
    pub(super) id: String,
}

impl Unpacked {
    /// The match of this file; `None` for the id of a match.
    ///
    /// # Errors
    /// As [`MatchFile::read`], and if it cannot be unpacked.
    pub(super) async fn read(name: &str) -> anyhow::Result<Option<Self>> {
        if !is_file(name) {
            return Ok(None);
        }
        let file = MatchFile::read(Path::new(name))?;
        let folder = tempfile::tempdir()?;
        let settings = Settings {
            packs: false,
            durability: Durability::Process,
            ..Settings::at(folder.path().join("match.db"), GameRules::all())
        };
        let store = Store::open(&settings).await?;
        file.store(&store, false).await?;
        let id = file.id().to_owned();
        Ok(Some(Self {
            _folder: folder,
            store,
            id,
        }))
    }

    /// Verifies it and prints what differs.
    ///
    /// # Errors
    /// If it cannot be read or printed.
    pub(super) async fn verify(self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let location = self.store.location().clone();
        self.store.close().await;
        database::verify(location, None, out).await
    }
}
