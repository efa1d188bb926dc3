//! Who reads what: all that a page or an answer depends on besides its parameters.

use super::known;
use super::problem::Problem;
use super::public::Public;
use super::query::allowed;
use super::shapes::{Listed, Paged};
use super::sight::Sight;
use super::state::ApiState;
use super::turns::Turns;
use crate::history::{self, Filter};
use crate::store::MatchRow;

/// One caller's view of the daemon.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) state: ApiState,
    /// What the caller may see.
    pub(super) sight: Sight,
}

impl Reader {
    /// The view that `sight` allows.
    pub(super) fn new(state: ApiState, sight: Sight) -> Self {
        Self { state, sight }
    }

    /// What callers without a token share, if this is one.
    pub(super) fn public(&self) -> Option<&Public> {
        let public = self.state.public.as_ref();
        public.filter(|_| self.sight.rights().is_public())
    }

    /// Where what the caller asks is computed.
    pub(super) fn turns(&self) -> &Turns {
        let public = self.public();
        public.map_or(&self.state.turns, |public| &public.turns)
    }

    /// The stored match with this id, or the problem that there is none.
    pub(super) async fn match_row(&self, id: &str) -> Result<MatchRow, Problem> {
        let row = history::match_numbered(self.state.store.reader(), id).await?;
        row.ok_or_else(|| Problem::not_found(format!("there is no match {id}")))
    }

    /// This list, unless nothing is in it because it is filtered by what is known nowhere: that is a mistake.
    pub(super) async fn expects<T>(&self, listed: Listed<T>, filter: &Filter) -> Paged<T> {
        if listed.items.is_empty()
            && listed.next.is_none()
            && let Some(unknown) =
                known::unknown(&self.state.store, &allowed(filter, &self.sight)?).await?
        {
            return Err(unknown.into());
        }
        Ok(listed)
    }
}
