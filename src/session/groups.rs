//! Which of our sessions belong to one match: those of the same game, referee and market that are live together, where
//! the referee gives the market. Everywhere else each line is a match of its own.

use super::bot_address::Key;
use crate::simulated;
use games::Wire;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A match as its sessions know it.
struct Group {
    id: Box<str>,
    live: usize,
}

#[derive(PartialEq, Eq, Hash)]
struct MatchKey {
    game: &'static str,
    referee: Box<str>,
    market: u64,
    /// Set where the market is the moment in which we began, and no number that others give: two lines of two matches
    /// may begin in the same one.
    line: Option<u64>,
}

impl MatchKey {
    fn new(key: &Key) -> Self {
        let kit = key.bot.kit();
        Self {
            game: kit.card().name,
            referee: key.bot.referee().into(),
            market: key.market,
            line: (kit.card().wire != Wire::Callbacks).then_some(key.id),
        }
    }
}

/// Live matches.
#[derive(Default)]
pub(super) struct Groups(HashMap<MatchKey, Group>);

impl Groups {
    /// Joins the match that is live under this key, or starts one. A key that has just left match
    /// `left` begins the next one: its former match is over, though others may not know yet. `live`: one that is not known
    /// here, but stored as live. Gives the match's number, and whether this is its first session.
    pub(super) fn join(
        &mut self,
        key: &Key,
        left: Option<&str>,
        live: Option<&str>,
    ) -> (Box<str>, bool) {
        let fresh = || Group {
            id: simulated::ulid().to_string().into(),
            live: 0,
        };
        let (group, first) = match self.0.entry(MatchKey::new(key)) {
            Entry::Occupied(mut at) => {
                let over = Some(&*at.get().id) == left;
                if over {
                    at.insert(fresh());
                }
                (at.into_mut(), over)
            }
            Entry::Vacant(at) => match live {
                Some(id) => {
                    let (id, live) = (id.into(), 0);
                    (at.insert(Group { id, live }), false)
                }
                None => (at.insert(fresh()), true),
            },
        };
        group.live += 1;
        (group.id.clone(), first)
    }

    /// Joins a match whose number is known: at start-up, or because our own referee runs it.
    pub(super) fn join_known(&mut self, key: &Key, id: &str) {
        let group = self.0.entry(MatchKey::new(key)).or_insert_with(|| Group {
            id: id.into(),
            live: 0,
        });
        if &*group.id < id {
            *group = Group {
                id: id.into(),
                live: 0,
            };
        }
        if &*group.id == id {
            group.live += 1;
        }
    }

    /// Leaves a match; the last one closes it.
    pub(super) fn leave(&mut self, key: &Key, id: &str) {
        if let Entry::Occupied(mut at) = self.0.entry(MatchKey::new(key))
            && &*at.get().id == id
        {
            at.get_mut().live = at.get().live.saturating_sub(1);
            if at.get().live == 0 {
                at.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::BotAddress;
    use std::sync::Arc;

    fn key(game: &str, id: u64) -> Key {
        let kit = games::find(game).unwrap();
        let bot = BotAddress::named(kit, "champion", "stdio").unwrap();
        Key {
            bot: Arc::new(bot),
            market: 7,
            id,
        }
    }

    #[test]
    fn only_a_number_that_the_referee_gives_is_shared() {
        for (game, shared) in [
            ("koehandel", true),
            ("planowanie", false),
            ("smartdog", false),
        ] {
            let mut groups = Groups::default();
            let (first, began) = groups.join(&key(game, 1), None, None);
            let (second, began_too) = groups.join(&key(game, 2), None, None);
            assert_eq!((began, began_too), (true, !shared), "{game}");
            assert_eq!(first == second, shared, "{game}");
            groups.leave(&key(game, 1), &first);
            groups.leave(&key(game, 2), &second);
            assert!(groups.0.is_empty(), "{game}");
        }
    }
}
