//! Learnt numbers as text.

/// Marks a run of entries that are all 0.
const BLANKS: u8 = b'!';
/// Two characters per entry.
const BASE: i32 = 90;
const FIRST: u8 = b'#';
const HALF: i32 = BASE * BASE / 2;
/// The largest entry that is written; larger ones are clipped.
pub const ENTRY_MAX: f32 = 4040.0;
/// Entries per line.
const LINE: usize = 50;

/// A value as an entry: rounded, and clipped at `ENTRY_MAX`.
#[must_use]
pub fn as_entry(value: f32) -> i16 {
    value.round().clamp(-ENTRY_MAX, ENTRY_MAX) as i16
}

/// Writes entries as lines of text.
pub fn write_entries(entries: &[i16], text: &mut String) {
    let mut rest = entries;
    let mut written = 0;
    while let Some((entry, after)) = rest.split_first() {
        let blanks = rest
            .iter()
            .take(BASE as usize)
            .take_while(|entry| **entry == 0);
        let blanks = blanks.count();
        if blanks > 1 {
            text.push(char::from(BLANKS));
            text.push(letter(blanks as i32 - 1));
            rest = &rest[blanks..];
        } else {
            let number = (i32::from(*entry) + HALF).clamp(0, BASE * BASE - 1);
            text.push(letter(number / BASE));
            text.push(letter(number % BASE));
            rest = after;
        }
        written += 1;
        if written % LINE == 0 || rest.is_empty() {
            text.push('\n');
        }
    }
}

/// A digit; the backslash is skipped.
fn letter(digit: i32) -> char {
    let byte = FIRST + digit as u8;
    char::from(if byte >= b'\\' { byte + 1 } else { byte })
}

fn digit(byte: u8) -> Option<i32> {
    let byte = if byte > b'\\' { byte - 1 } else { byte };
    let digit = i32::from(byte.checked_sub(FIRST)?);
    (digit < BASE).then_some(digit)
}

/// Reads the entries of these lines.
pub(super) fn read_entries<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Vec<i16>> {
    let mut entries = Vec::new();
    for pair in lines.flat_map(|line| line.as_bytes().chunks(2)) {
        let [high, low] = pair else {
            return None;
        };
        if *high == BLANKS {
            let blanks = digit(*low)? as usize + 1;
            entries.resize(entries.len() + blanks, 0);
            continue;
        }
        let number = digit(*high)? * BASE + digit(*low)?;
        entries.push((number - HALF) as i16);
    }
    Some(entries)
}
