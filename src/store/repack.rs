//! Packing everything that waits for it, for a verb.

use super::error::StoreError;
use super::handle::Store;
use super::packer::{Packer, Packs};
use super::reader::Reader;
use crate::store::sql::query_as;

/// Packs every session that has ended, reporting how far it has come after each step. It may be stopped and
/// begun again at any time.
///
/// # Errors
/// [`StoreError::ReadOnly`], [`StoreError::Unwritable`], [`StoreError::Read`].
pub async fn pack(store: &Store, mut progress: impl FnMut(Packs)) -> Result<Packs, StoreError> {
    let mut packer = Packer::new(store.weak_queue()?, store.reader().pool().clone());
    let (mut all, mut after) = (Packs::default(), 0);
    loop {
        let Some((last, done)) = packer.step(after).await? else {
            return Ok(all);
        };
        after = last;
        all.packed += done.packed;
        all.left += done.left;
        progress(all);
    }
}

/// How many sessions wait to be packed.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn unpacked(reader: &Reader) -> Result<u64, StoreError> {
    let count: i64 = query_as(
        "SELECT count(*) FROM sessions
         WHERE packed IS NULL AND ended_us IS NOT NULL AND last_entry IS NOT NULL",
    )
    .fetch_one(reader.pool())
    .await?;
    Ok(count as u64)
}
