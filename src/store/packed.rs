//! Sessions that have ended, each in one row of `packed`: its entries as columns, compressed by zstd.
//!
//! The columns: how many entries; their numbers, each as its distance from the one before; their times
//! likewise; each text's length, doubled, plus its direction; the texts. Numbers are LEB128, times in zigzag.
//! Links need no column: an entry's previous one is the one before it.

use super::error::StoreError;
use super::types::{Direction, Entry, EntryId, SessionId};
use crate::store::sql::{Connection, query_as};
use std::str::Utf8Error;
use std::{fmt, io};
use zstd::bulk::{Compressor, Decompressor};

/// The maximum length of a session's columns before compression; a longer one stays as it is.
pub(super) const BYTES_MAX: usize = 256 << 20;
const LEVEL: i32 = 3;
/// Bytes of the longest number.
const NUMBER_LEN_MAX: u32 = 10;

/// A row of `packed`, compressed.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) session: SessionId,
    pub(super) last: EntryId,
    /// The numbers of its entries, as JSON.
    pub(super) ids: String,
    pub(super) entries: u64,
    pub(super) bytes: usize,
    pub(super) dictionary: Option<i64>,
    pub(super) content: Vec<u8>,
}

/// A game's dictionary.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    pub(super) id: i64,
    pub(super) content: Vec<u8>,
}

impl Packed {
    /// A session's whole transcript; `None` if it is empty or too long.
    pub(super) fn new(
        session: SessionId,
        entries: &[Entry],
        dictionary: Option<&Dictionary>,
    ) -> io::Result<Option<Self>> {
        let Some(last) = entries.last() else {
            return Ok(None);
        };
        let known = dictionary.map_or(&[][..], |dictionary| &dictionary.content);
        let Some((bytes, content)) = BulkPacker::new(known)?.pack(entries)? else {
            return Ok(None);
        };
        let ids: Vec<i64> = entries.iter().map(|entry| entry.id.0).collect();
        Ok(Some(Self {
            session,
            last: last.id,
            ids: serde_json::Value::from(ids).to_string(),
            entries: entries.len() as u64,
            bytes,
            dictionary: dictionary.map(|dictionary| dictionary.id),
            content,
        }))
    }
}

/// Packs transcripts as the store does, for programs that write databases in bulk.
pub struct BulkPacker(Compressor<'static>);

impl fmt::Debug for BulkPacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BulkPacker").finish_non_exhaustive()
    }
}

impl BulkPacker {
    /// With a game's dictionary, or an empty one.
    ///
    /// # Errors
    /// If zstd refuses it.
    pub fn new(dictionary: &[u8]) -> io::Result<Self> {
        let mut compressor = Compressor::with_dictionary(LEVEL, dictionary)?;
        compressor.include_checksum(true)?;
        Ok(Self(compressor))
    }

    /// A whole transcript: how many bytes it has, and these compressed. `None` if it is too long.
    ///
    /// # Errors
    /// If zstd fails.
    pub fn pack(&mut self, entries: &[Entry]) -> io::Result<Option<(usize, Vec<u8>)>> {
        let columns = columns(entries);
        if columns.len() > BYTES_MAX {
            return Ok(None);
        }
        let mut content = self.0.compress(&columns)?;
        content.shrink_to_fit();
        Ok(Some((columns.len(), content)))
    }
}

/// A row of `packed` as stored: last_entry, entries, bytes, dictionary, its content, content.
type Row = (i64, i64, i64, Option<i64>, Option<Vec<u8>>, Vec<u8>);

/// A packed session's transcript; `None` if it is not packed.
pub(super) async fn read(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Option<Vec<Entry>>, StoreError> {
    let row: Option<Row> = query_as(
        "SELECT p.last_entry, p.entries, p.bytes, p.dictionary, d.content, p.content
         FROM packed p LEFT JOIN dictionaries d ON d.id = p.dictionary WHERE p.session = $1",
    )
    .bind(session.0)
    .fetch_optional(connection)
    .await?;
    let unpacked = row.map(|row| {
        unpack(&row)
            .map_err(|why| StoreError::Corrupt(format!("packed session {}: {why}", session.0)))
    });
    unpacked.transpose()
}

/// Why a packed transcript cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Damage {
    #[error("its length is impossible")]
    Length,
    #[error("its dictionary {0} is missing")]
    NoDictionary(i64),
    #[error("{0} entries up to {1} are not what it holds")]
    OtherEntries(i64, i64),
    #[error("{0} entries do not fit into it")]
    TooMany(u64),
    #[error("the numbers of its entries do not rise")]
    Order,
    #[error("it is cut short")]
    Cut,
    #[error("a number is too long")]
    Number,
    #[error("{0} bytes too many")]
    Rest(usize),
    #[error(transparent)]
    Text(#[from] Utf8Error),
    #[error(transparent)]
    Compression(#[from] io::Error),
}

/// The columns of a stored row, decompressed.
pub(super) fn decompress(content: &[u8], dictionary: &[u8], bytes: i64) -> Result<Vec<u8>, Damage> {
    let bytes = usize::try_from(bytes)
        .ok()
        .filter(|bytes| *bytes <= BYTES_MAX);
    let bytes = bytes.ok_or(Damage::Length)?;
    let mut decompressor = Decompressor::with_dictionary(dictionary)?;
    Ok(decompressor.decompress(content, bytes)?)
}

fn unpack(row: &Row) -> Result<Vec<Entry>, Damage> {
    let (last, count, bytes, dictionary, known, content) = row;
    let known = known.as_deref().unwrap_or_default();
    if let Some(missing) = dictionary.filter(|_| known.is_empty()) {
        return Err(Damage::NoDictionary(missing));
    }
    let entries = entries(&decompress(content, known, *bytes)?)?;
    if entries.len() as i64 != *count || entries.last().is_none_or(|entry| entry.id.0 != *last) {
        return Err(Damage::OtherEntries(*count, *last));
    }
    Ok(entries)
}

/// The columns of a transcript.
pub(super) fn columns(entries: &[Entry]) -> Vec<u8> {
    let mut columns = Vec::new();
    put(&mut columns, entries.len() as u64);
    let (mut id, mut at_us) = (0_i64, 0_i64);
    for entry in entries {
        put(&mut columns, entry.id.0.wrapping_sub(id) as u64);
        id = entry.id.0;
    }
    for entry in entries {
        let step = entry.at_us.wrapping_sub(at_us);
        put(&mut columns, (step << 1 ^ step >> 63) as u64);
        at_us = entry.at_us;
    }
    for entry in entries {
        let direction = entry.direction.number() as u64;
        put(&mut columns, (entry.text.len() as u64) << 1 | direction);
    }
    for entry in entries {
        columns.extend_from_slice(entry.text.as_bytes());
    }
    columns
}

/// The transcript of these columns.
pub(super) fn entries(columns: &[u8]) -> Result<Vec<Entry>, Damage> {
    let mut rest = columns;
    let count = take(&mut rest)?;
    // Every entry takes a byte in each of three columns.
    if count > columns.len() as u64 / 3 {
        return Err(Damage::TooMany(count));
    }
    let mut entries = Vec::with_capacity(count as usize);
    let (mut id, mut at_us) = (0_i64, 0_i64);
    for seq in 0..count {
        let step = i64::try_from(take(&mut rest)?)
            .ok()
            .filter(|step| *step > 0);
        let next = step.and_then(|step| id.checked_add(step));
        id = next.ok_or(Damage::Order)?;
        entries.push(Entry {
            id: EntryId(id),
            seq,
            at_us: 0,
            direction: Direction::In,
            text: String::new(),
        });
    }
    for entry in &mut entries {
        let step = take(&mut rest)?;
        at_us = at_us.wrapping_add((step >> 1) as i64 ^ -((step & 1) as i64));
        entry.at_us = at_us;
    }
    let mut lengths = Vec::with_capacity(entries.len());
    for entry in &mut entries {
        let length = take(&mut rest)?;
        if length & 1 == 1 {
            entry.direction = Direction::Out;
        }
        lengths.push(usize::try_from(length >> 1).unwrap_or(usize::MAX));
    }
    for (entry, length) in entries.iter_mut().zip(lengths) {
        let (text, after) = rest.split_at_checked(length).ok_or(Damage::Cut)?;
        entry.text = str::from_utf8(text)?.to_owned();
        rest = after;
    }
    if rest.is_empty() {
        Ok(entries)
    } else {
        Err(Damage::Rest(rest.len()))
    }
}

fn put(columns: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        columns.push(number as u8 | 0x80);
        number >>= 7;
    }
    columns.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Result<u64, Damage> {
    let mut number = 0;
    for at in 0..NUMBER_LEN_MAX {
        let (byte, after) = rest.split_first().ok_or(Damage::Cut)?;
        *rest = after;
        number |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Damage::Number)
}
