//! The writer's SQL. A batch is one text and one trip to SQLite's thread: entries, the most numerous, are a
//! multi-row VALUES of a few fixed sizes (1.5 to 1.9 times as fast as JSON), the rows of every other table
//! one JSON text. Only tables that get rows are named: every statement of a text wakes the writer once.
//! Unnumbered parameters are taken in order.

use serde::Serialize;
use sqlx::Arguments as _;
use sqlx::sqlite::SqliteArguments;
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of entries in one transaction, and so in one append.
pub const ENTRIES_MAX: usize = 2048;

/// How many rows the prepared statements for entries take; rows missing to the next size are null.
const SIZES: [usize; 9] = [1, 4, 16, 64, 128, 256, 512, 1024, ENTRIES_MAX];

/// Texts for this many entries or more name all tables: each of them is large, and few are enough.
const LARGE: usize = 512;

/// Columns of an entry.
const ENTRY_COLUMNS: usize = 6;

/// Rows for `entries`.
#[derive(Debug, Default)]
pub(super) struct EntryRows {
    arguments: SqliteArguments,
    count: usize,
}

/// One row for `entries`.
pub(super) struct EntryRow<'a> {
    pub(super) id: i64,
    pub(super) session: i64,
    pub(super) previous: Option<i64>,
    pub(super) at_us: i64,
    pub(super) direction: i64,
    pub(super) text: &'a str,
}

impl EntryRows {
    pub(super) fn push(&mut self, row: &EntryRow<'_>) {
        if self.count == 0 {
            self.arguments.reserve(SIZES[3] * ENTRY_COLUMNS, 0);
        }
        self.add(row.id);
        self.add(row.session);
        self.add(row.previous);
        self.add(row.at_us);
        self.add(row.direction);
        self.add(Arc::<str>::from(row.text));
        self.count += 1;
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The text that writes these rows and `others`, and its parameters; the transaction stays open if
    /// something `ends` in it.
    pub(super) fn text(
        mut self,
        texts: &mut Texts,
        others: OtherRows,
        ends: bool,
    ) -> (Arc<str>, SqliteArguments) {
        let size = SIZES
            .iter()
            .copied()
            .find(|size| *size >= self.count)
            .unwrap_or(ENTRIES_MAX);
        for _ in self.count * ENTRY_COLUMNS..size * ENTRY_COLUMNS {
            self.add(None::<i64>);
        }
        let large = size >= LARGE;
        let shape = Shape {
            size,
            openings: large || others.has_openings(),
            facts: large || !others.facts.is_empty(),
            ledger: large || !others.ledger.is_empty(),
            ends,
        };
        let OtherRows {
            mut matches,
            mut seats,
            mut sessions,
            mut bluffs,
            mut facts,
            mut ledger,
        } = others;
        if shape.openings {
            for rows in [&mut matches, &mut seats, &mut sessions, &mut bluffs] {
                self.add(rows.take());
            }
        }
        if shape.facts {
            self.add(facts.take());
        }
        if shape.ledger {
            self.add(ledger.take());
        }
        let text = texts.0.entry(shape).or_insert_with(|| shape.text());
        (Arc::clone(text), self.arguments)
    }

    fn add<'q>(&mut self, value: impl sqlx::Encode<'q, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>) {
        self.arguments
            .add(value)
            .expect("numbers and texts can always be bound");
    }
}

/// What a batch's first text writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    /// Room for this many entries.
    size: usize,
    openings: bool,
    facts: bool,
    ledger: bool,
    /// Whether the transaction is left open for the batch's endings.
    ends: bool,
}

impl Shape {
    fn text(self) -> Arc<str> {
        let rows = vec!["(?,?,?,?,?,?)"; self.size].join(",");
        let mut text = format!(
            "INSERT INTO entries (id, session, previous, at_us, direction, text)
             SELECT * FROM (VALUES {rows}) WHERE column1 IS NOT NULL;"
        );
        let alone = text.len();
        for (wanted, statements) in [
            (self.openings, OPENINGS),
            (self.facts, FACTS),
            (self.ledger, LEDGER),
        ] {
            if wanted {
                text.push_str(statements);
            }
        }
        // One statement is its own transaction.
        if self.ends || text.len() > alone {
            text.insert_str(0, "BEGIN IMMEDIATE;");
            if !self.ends {
                text.push_str("COMMIT");
            }
        }
        text.into()
    }
}

/// The texts written so far, by shape: at most one per size and combination of tables.
#[derive(Debug, Default)]
pub(super) struct Texts(HashMap<Shape, Arc<str>>);

/// Rows for the other tables.
#[derive(Debug, Default)]
pub(super) struct OtherRows {
    pub(super) matches: Rows,
    pub(super) seats: Rows,
    pub(super) sessions: Rows,
    pub(super) bluffs: Rows,
    pub(super) facts: Rows,
    pub(super) ledger: Rows,
}

impl OtherRows {
    /// Whether a table that few batches write to gets rows.
    fn has_openings(&self) -> bool {
        [&self.matches, &self.seats, &self.sessions, &self.bluffs]
            .into_iter()
            .any(|rows| !rows.is_empty())
    }
}

/// Rows for one table: a JSON array of arrays.
#[derive(Debug, Default)]
pub(super) struct Rows(Vec<u8>);

impl Rows {
    /// Adds one row. Numbers, texts and nulls only.
    pub(super) fn push(&mut self, row: &impl Serialize) {
        self.0.push(if self.0.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut self.0, row).expect("rows of numbers and texts are JSON");
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rows as a parameter; leaves none.
    pub(super) fn take(&mut self) -> String {
        if self.0.is_empty() {
            return "[]".into();
        }
        let mut text = std::mem::take(&mut self.0);
        text.push(b']');
        String::from_utf8(text).expect("JSON is UTF-8")
    }
}

/// Matches, seats, sessions, bluffs.
const OPENINGS: &str = "
    INSERT INTO matches (id, game, referee, market, ours, started_us, setup)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    FROM json_each(?) WHERE true ON CONFLICT DO NOTHING;
    INSERT INTO seats (match_id, seat, spec, name, player)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
    FROM json_each(?) WHERE true ON CONFLICT DO NOTHING;
    INSERT INTO sessions (id, match_id, side, game, bot, referee, market, player, seat, seed, setup,
                          durability, opened_us, first_entry)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
           value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13
    FROM json_each(?);
    INSERT INTO bluffs (session, entry, at_us, by, place, bid, held, caught)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
           value ->> 7
    FROM json_each(?);";

const FACTS: &str = "
    INSERT INTO facts (session, entry, kind, data)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?);";

const LEDGER: &str = "
    INSERT INTO ledger (session, entry, at_us, queued_us, thought_us, committed_us, sent_us, limit_us,
                        fallback)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
           value ->> 7, value ->> 8
    FROM json_each(?);";

/// Endings: sessions, matches, results, lessons, models.
pub(super) const END: &str = "
    UPDATE sessions SET ended_us = j.value ->> 1, cause = j.value ->> 2, detail = j.value ->> 3,
           scores = j.value ->> 4, last_entry = j.value ->> 5, entries = j.value ->> 6
    FROM json_each(?) j WHERE sessions.id = j.value ->> 0;
    UPDATE matches SET ended_us = j.value ->> 1, cause = j.value ->> 2, blame = j.value ->> 3,
           detail = j.value ->> 4, scores = j.value ->> 5
    FROM json_each(?) j WHERE matches.id = j.value ->> 0;
    INSERT INTO results (match_id, seat, score, win_share)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3
    FROM json_each(?) WHERE true
    ON CONFLICT DO UPDATE SET score = excluded.score, win_share = excluded.win_share;
    INSERT INTO lessons (session, match_id, game, rival, seat, kind, weight, evidence, merged_into)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
           value ->> 7, value ->> 8
    FROM json_each(?);
    INSERT INTO opponent_models (game, kind, name, model, version, updated_us, last_match)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    FROM json_each(?) WHERE true
    ON CONFLICT (game, kind, name) DO UPDATE SET model = excluded.model, version = excluded.version,
           updated_us = excluded.updated_us, last_match = excluded.last_match;
    COMMIT";

/// What the ending of sessions needs to know.
pub(super) const CLOSING_SESSIONS: &str = "
    SELECT s.id, s.match_id, s.game, s.side, s.seat, m.ours, m.ended_us, m.cause,
           (SELECT count(*) FROM seats WHERE match_id = s.match_id),
           (SELECT json_group_array(json_array(seat, name)) FROM seats
            WHERE match_id = s.match_id AND name IS NOT NULL),
           m.scores
    FROM sessions s JOIN matches m ON m.id = s.match_id
    WHERE s.id IN (SELECT value FROM json_each(?))";

/// What the ending of matches needs to know.
pub(super) const CLOSING_MATCHES: &str =
    "SELECT id, ended_us, game, setup FROM matches WHERE id IN (SELECT value FROM json_each(?))";

/// Stored models by (game, kind, name); for a deleted one only its last version's number, so that numbering
/// continues.
pub(super) const MODELS: &str = "
    SELECT v.game, v.kind, v.name, m.model, max(v.version)
    FROM model_versions v LEFT JOIN opponent_models m USING (game, kind, name)
    WHERE (v.game, v.kind, v.name) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))
    GROUP BY v.game, v.kind, v.name";

/// The live heads.
pub(super) const HEADS: &str = "
    INSERT INTO heads (id, entry, packed) VALUES (1, ?, ?)
    ON CONFLICT (id) DO UPDATE SET entry = excluded.entry, packed = excluded.packed";

#[cfg(test)]
mod tests {
    use super::{ENTRY_COLUMNS, EntryRow, EntryRows, OtherRows, Rows, Texts};

    #[test]
    fn every_shape_has_room_for_its_parameters_and_is_one_transaction() {
        let rows = |wanted: bool| {
            let mut rows = Rows::default();
            if wanted {
                rows.push(&[1]);
            }
            rows
        };
        let mut texts = Texts::default();
        for shape in 0..32 {
            let has = |bit: u32| shape >> bit & 1 == 1;
            let mut entries = EntryRows::default();
            for id in 0..if has(0) { 5 } else { 0 } {
                entries.push(&EntryRow {
                    id,
                    session: 1,
                    previous: None,
                    at_us: 0,
                    direction: 0,
                    text: "",
                });
            }
            let others = OtherRows {
                sessions: rows(has(1)),
                facts: rows(has(2)),
                ledger: rows(has(3)),
                ..OtherRows::default()
            };
            let ends = has(4);
            let (text, arguments) = entries.text(&mut texts, others, ends);
            let room = if has(0) { 16 } else { 1 };
            let more = if has(1) { 4 } else { 0 } + u8::from(has(2)) + u8::from(has(3));
            let wanted = room * ENTRY_COLUMNS + usize::from(more);
            assert_eq!(text.matches('?').count(), wanted, "{text}");
            assert_eq!(sqlx::Arguments::len(&arguments), wanted);
            let whole = more == 0 && !ends;
            assert_eq!(text.starts_with("BEGIN IMMEDIATE"), !whole);
            assert_eq!(text.ends_with("COMMIT"), !whole && !ends);
        }
    }
}
