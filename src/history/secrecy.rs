//! Who may see what a session knows, and until when it is secret.

use crate::store::StoreError;
use crate::store::rows;
use crate::store::sql::Row;
use crate::store::types::Secrecy;

/// The kind of the fact that holds what a program wrote to standard error: its owner and admins alone may read it.
pub const STDERR: &str = "stderr";

/// A player's spec as everybody may know it. Programs' words and addresses are their owners' secrets: only what kind it
/// is is left of those.
#[must_use]
pub fn public_spec(spec: &str) -> &str {
    match spec.split_once(':') {
        Some((kind @ ("cmd" | "url"), _)) => kind,
        _ => spec,
    }
}

/// When the match `m` was over: its end, where our referee reported it, but in a tournament not before that has ended: its
/// deck may be played again. One that fills no place there is not over while any tournament goes on. In others' matches each session
/// receives the end by itself, so the match is over when our last session has received it.
pub(super) const OVER: &str = "CASE WHEN m.ended_us IS NULL THEN NULL
    WHEN EXISTS (SELECT 1 FROM tournament_matches p JOIN tournaments t ON t.id = p.tournament
        WHERE p.match_id = m.id AND t.ended_us IS NULL) THEN NULL
    WHEN EXISTS (SELECT 1 FROM seats n WHERE n.match_id = m.id AND n.entrant IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM tournament_matches p WHERE p.match_id = m.id)
        AND EXISTS (SELECT 1 FROM tournaments t WHERE t.ended_us IS NULL) THEN NULL
    WHEN m.ours = 1 THEN m.ended_us
    WHEN EXISTS (SELECT 1 FROM sessions x WHERE x.match_id = m.id AND x.ended_us IS NULL) THEN NULL
    ELSE max(m.ended_us, coalesce((SELECT max(x.ended_us) FROM sessions x WHERE x.match_id = m.id), 0)) END";

/// Whose the seat of the session `s` is: the entrant's of a tournament, else the player's of that name.
pub(super) const ENTRANT: &str = "(SELECT coalesce(n.entrant, n.name) FROM seats n
    WHERE n.match_id = s.match_id AND n.seat = s.seat)";

/// Reads the columns `side, bot,` [`ENTRANT`], [`OVER`], of which the last two begin at `at`.
pub(super) fn read(row: &Row, side: usize, bot: usize, at: usize) -> Result<Secrecy, StoreError> {
    Ok(Secrecy {
        side: rows::word(row.try_get(side)?)?,
        bot: row.try_get(bot)?,
        entrant: row.try_get(at)?,
        over_us: row.try_get(at + 1)?,
    })
}
