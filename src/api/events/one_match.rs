//! One match as it goes on: its entries and facts, and its end.

use super::shared::{Part, Source};
use crate::history::{self, FactRow, MatchEntry, Page, PageAt, SessionRow};
use crate::store::{Bell, EntryId, MatchRow, SessionId, Store, StoreError};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The most entries, and the most facts, of one part, and about how many bytes of them. A reader that takes nothing
/// holds no more.
const ROWS_MAX: u32 = 500;
const BYTES_MAX: usize = 512 << 10;

/// A place in a match: its last entry and its last fact before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::api) struct Mark {
    pub(in crate::api) entry: EntryId,
    pub(in crate::api) fact: i64,
}

impl Mark {
    /// Before everything.
    pub(super) const START: Self = Self {
        entry: EntryId(0),
        fact: 0,
    };
    /// After everything.
    pub(in crate::api) const END: Self = Self {
        entry: EntryId(i64::MAX),
        fact: i64::MAX,
    };
}

impl fmt::Display for Mark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.entry.0, self.fact)
    }
}

/// What has been added to a match.
#[derive(Debug)]
pub(in crate::api) struct News {
    /// In the order in which they were committed, each with its session.
    pub(in crate::api) entries: Vec<(Arc<SessionRow>, MatchEntry)>,
    pub(in crate::api) facts: Vec<(Arc<SessionRow>, FactRow)>,
    /// The match, if this is the last of it: it and all its sessions have ended.
    pub(super) over: Option<MatchRow>,
}

/// A match that is followed.
pub(super) struct OneMatch {
    store: Store,
    id: String,
    /// The store's last entry at a time when the match was followed already: the bell knows all later ones.
    since: OnceCell<EntryId>,
}

impl OneMatch {
    pub(super) fn new(store: Store, id: &str) -> Self {
        Self {
            store,
            id: id.to_owned(),
            since: OnceCell::new(),
        }
    }
}

impl Source for OneMatch {
    type Mark = Mark;
    type Rows = News;

    fn name(&self) -> &str {
        &self.id
    }

    async fn read(&self, after: Mark, bell: &Bell) -> Result<Part<Self>, StoreError> {
        let since = self.since.get_or_try_init(|| async {
            let (entry, _) = history::last_numbers(self.store.reader()).await?;
            Ok::<_, StoreError>(entry)
        });
        let since = *since.await?;
        let heads = bell.borrow().heads.clone();
        // First: what was committed before the end is read after it.
        let over = history::is_over(self.store.reader(), &self.id).await?;
        let mut contents = history::contents(self.store.reader(), &self.id).await?;
        let mut sessions = contents.sessions.iter();
        let over = match over && sessions.all(|session| session.ended_us.is_some()) {
            true => history::match_row(self.store.reader(), &self.id).await?,
            false => None,
        };
        if over.is_none() && after.entry >= since {
            // Nobody looks for the heads in the log, which takes long.
            contents.read_up_to(heads);
        }
        let mut bytes = 0;
        let page = rows_after(after.entry.0);
        let page = history::entries_page(self.store.reader(), &contents, &page).await?;
        let (entries, more) = cut(page, &mut bytes, |entry| entry.text.len());
        let (facts, more) = match more {
            true => (Vec::new(), true),
            false => {
                let page = rows_after(after.fact);
                let page = history::facts_page(self.store.reader(), &contents, None, &page).await?;
                cut(page, &mut bytes, |fact| fact.data.to_string().len())
            }
        };
        let upto = Mark {
            entry: entries.last().map_or(after.entry, |entry| entry.id),
            fact: facts.last().map_or(after.fact, |fact| fact.id),
        };
        let sessions = contents.sessions.into_iter();
        let sessions = sessions.map(|row| (row.id, Arc::new(row))).collect();
        let rows = News {
            entries: with_sessions(&sessions, entries, |entry| entry.session),
            facts: with_sessions(&sessions, facts, |fact| fact.session),
            over: over.filter(|_| !more),
        };
        Ok(Part { rows, upto, more })
    }
}

fn rows_after(number: i64) -> PageAt {
    PageAt {
        after: Some(number.to_string()),
        ..PageAt::first(ROWS_MAX)
    }
}

/// As many of these rows as there is room for in bytes, and whether there are more.
fn cut<T>(page: Page<T>, bytes: &mut usize, size: impl Fn(&T) -> usize) -> (Vec<T>, bool) {
    let mut rows = page.items;
    let whole = rows.len();
    let fits = rows.iter().take_while(|row| {
        let fits = *bytes < BYTES_MAX;
        *bytes += size(row);
        fits
    });
    let fits = fits.count();
    rows.truncate(fits);
    (rows, fits < whole || page.next.is_some())
}

fn with_sessions<T>(
    sessions: &HashMap<SessionId, Arc<SessionRow>>,
    rows: Vec<T>,
    of: impl Fn(&T) -> SessionId,
) -> Vec<(Arc<SessionRow>, T)> {
    let rows = rows.into_iter();
    rows.filter_map(|row| Some((Arc::clone(sessions.get(&of(&row))?), row)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, Mark, News, OneMatch, ROWS_MAX};
    use crate::api::events::shared::Source as _;
    use crate::store::tests::fake::{Pen, match_id, new_match, new_session, opened, said};
    use crate::store::{Committed, Side};
    use tokio::sync::watch;

    fn texts(news: &News) -> Vec<&str> {
        let entries = news.entries.iter();
        entries.map(|(_, entry)| entry.text.as_str()).collect()
    }

    #[tokio::test]
    async fn what_is_there_comes_in_parts_that_are_bounded() {
        let (_folder, store) = opened().await;
        let mut pen = Pen::player(&store, 1);
        let long = "x".repeat(BYTES_MAX / 4);
        let mut written: Vec<_> = (0..10).map(|n| format!("{n} {long}")).collect();
        written.extend((10..2 * u64::from(ROWS_MAX)).map(|n| n.to_string()));
        for texts in written.chunks(50) {
            let entries = texts.iter().map(|text| said(text)).collect();
            pen.write(&store, entries).await;
        }
        let bell = store.bells().match_bell(&match_id(1));
        let followed = OneMatch::new(store, &match_id(1));
        let (mut mark, mut all, mut parts) = (Mark::START, Vec::new(), 0);
        loop {
            let part = followed.read(mark, &bell).await.unwrap();
            let texts = texts(&part.rows);
            let bytes: usize = texts.iter().map(|text| text.len()).sum();
            assert!(bytes < BYTES_MAX + long.len() + 9, "{bytes}");
            all.extend(texts.into_iter().map(str::to_owned));
            (mark, parts) = (part.upto, parts + 1);
            if !part.more {
                break;
            }
        }
        assert_eq!((parts, all), (4, written));
    }

    #[tokio::test]
    async fn what_the_bell_has_not_rung_for_comes_later_or_before_the_end() {
        let (_folder, store) = opened().await;
        let first = Some(new_match(1, false));
        let mut one = Pen::new(&store, first, new_session(1, Side::Player, 0));
        one.write(&store, vec![said("a")]).await;
        let (ringer, bell) = watch::channel(Committed::default());
        let ring = |pen: &Pen| {
            let head = (pen.id, (pen.previous.unwrap(), pen.seq));
            ringer.send_modify(|committed| committed.heads.extend([head]));
        };
        let followed = OneMatch::new(store.clone(), &match_id(1));
        let part = followed.read(Mark::START, &bell).await.unwrap();
        assert_eq!(texts(&part.rows), ["a"]);
        // Another session has come, and the bell has not rung for its commit.
        one.bluff(&store, "W 1").await;
        let mut two = Pen::new(&store, None, new_session(1, Side::Player, 1));
        two.write(&store, vec![said("b")]).await;
        ring(&one);
        let part = followed.read(part.upto, &bell).await.unwrap();
        assert_eq!(
            (texts(&part.rows), part.rows.facts.len()),
            (vec!["bluff W 1"], 1)
        );
        ring(&two);
        let part = followed.read(part.upto, &bell).await.unwrap();
        assert_eq!((texts(&part.rows), part.rows.facts.len()), (vec!["b"], 0));
        // Both have ended, and the bell has rung for neither end.
        one.end(&store, vec![2, 1, 0, 0], 0).await;
        two.end(&store, vec![1, 0, 0, 2], 0).await;
        let part = followed.read(part.upto, &bell).await.unwrap();
        assert_eq!(texts(&part.rows), ["end 2,1,0,0", "end 1,0,0,2"]);
        assert!(part.rows.over.is_some());
    }
}
