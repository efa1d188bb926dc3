//! What users' programs wrote to standard error, next to the steps of a replay that their decisions led to: for each bot's
//! owner and for admins, as everywhere.

use super::films::Numbers;
use super::problem::Problem;
use super::programs::programs;
use super::reader::Reader;
use super::shapes::beginning;
use crate::history::{self, SessionRow};
use crate::programs::stderr_parts;
use crate::replay::{Film, Step, StepStderr, View, asking_entries};
use crate::store::SessionId;
use std::collections::HashMap;
use std::sync::Arc;

/// Breaks in what is shown of one decision with a step, and letters.
const BREAKS_MAX: usize = 3;
const LETTERS_MAX: usize = 400;

/// Adds it to these steps of a view's film. `sessions` are those of the match that the caller sees.
pub(super) async fn add(
    reader: &Reader,
    sessions: &[SessionRow],
    view: &View,
    film: &Arc<Film>,
    steps: &mut [Step],
) -> Result<(), Problem> {
    let rights = reader.sight.rights();
    let owned = sessions.iter().filter(|row| rights.owns(&row.secrecy));
    let owned: Vec<&SessionRow> = owned.collect();
    if owned.is_empty() {
        return Ok(());
    }
    for run in programs(reader, owned).await? {
        let own = session_of(view, run.seat, run.session);
        let (Some(own), Some(text)) = (own, run.stderr) else {
            continue;
        };
        let mut written: HashMap<u64, &str> = HashMap::new();
        for (number, part) in stderr_parts(&text, &run.conduct.stderr_parts) {
            written.extend(number.map(|number| (number, part)));
        }
        if written.is_empty() {
            continue;
        }
        let fold = async || numbers(reader, own).await;
        let numbers = reader.state.films.numbers(film, own.id, fold).await?;
        for step in &mut *steps {
            let numbers = step.decided.iter().filter_map(|asked| numbers.get(asked));
            let parts = numbers.filter_map(|number| {
                let text = written.get(number)?.trim_end();
                let (text, rest) = beginning(text, BREAKS_MAX, LETTERS_MAX);
                Some(StepStderr {
                    seat: run.seat,
                    session: run.session,
                    number: *number,
                    text: text.to_owned(),
                    cut: !rest.is_empty(),
                })
            });
            step.stderr.extend(parts);
        }
    }
    Ok(())
}

/// The session of which a view shows this seat, in which the program may have had another one.
fn session_of(view: &View, seat: Option<u8>, session: SessionId) -> Option<&SessionRow> {
    let shown = match view {
        View::Everything(sessions) => sessions.as_slice(),
        View::Seat(row) => std::slice::from_ref(&**row),
    };
    let mut shown = shown.iter();
    shown.find(|row| row.id == session || seat.is_some() && row.opened.seat == seat)
}

/// Folds a session to number its decisions. The ledger may lack some of them.
async fn numbers(reader: &Reader, session: &SessionRow) -> Result<Numbers, Problem> {
    let store = reader.state.store.reader();
    let Some(kit) = store.kit(&session.opened.game) else {
        return Ok(Numbers::new());
    };
    let side = session.opened.side;
    let entries = history::whole_transcript(store, session).await?;
    let turn = reader.turns().wait().await?;
    let asked = turn.spend(move || asking_entries(kit, side, &entries));
    // Where it cannot be folded, they are not known.
    let asked = asked.await?.unwrap_or_default();
    Ok(asked.into_iter().zip(1..).collect())
}
