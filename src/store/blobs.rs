//! Every form in which the database holds more than a plain column, read from arbitrary bytes.

use super::types::SeatRow;
use super::{packed, rows, startup};

/// Reads bytes as stored heads, packed sessions, live sessions, seats and scores. For the fuzz targets: a panic is a
/// finding.
pub fn fuzz(data: &[u8]) {
    if let Ok(heads) = startup::unpack(data) {
        let packed = startup::pack(heads.iter().map(|(session, head)| (*session, *head)));
        assert_eq!(startup::unpack(&packed).ok(), Some(heads));
    }
    if let Ok(entries) = packed::entries(data) {
        assert_eq!(
            packed::entries(&packed::columns(&entries)).ok(),
            Some(entries)
        );
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = startup::live_rows(text);
        let _ = rows::json::<Vec<SeatRow>>(text);
        let _ = rows::json::<Vec<i64>>(text);
    }
}
