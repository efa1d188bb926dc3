//! What REST, pages, standings and verbs read of what is stored: free functions over a [`Reader`], and the changes that
//! belong to no match. Knows what games say of results, which the store does not.
//!
//! [`Reader`]: crate::store::Reader
//!
//! Visibility is decided row by row, not in the query: pages of bluffs are filled with rows that the caller may see, so that
//! neither their length nor their cursor reveals anything about the rest. A match is read up to a place (`contents`): the
//! store's last entry and fact from before its sessions are looked up. What comes later may belong to a session that is not
//! among them, and its number would lead a reader past that. Sessions of one team at a foreign judge are found when asked for,
//! by a digest of what all of them have seen alike and by their time. Matches of tournaments are given their entrants' numbers
//! (`entrants`), which decide their colours, where they are drawn; a running match is matched to its tournament by its
//! entrants' names.

mod bots;
mod changes;
mod contents;
mod entrants;
mod integrity;
mod ledger;
mod listing;
mod match_facts;
mod matches;
mod meetings;
mod models;
mod narrow;
mod newest;
mod numbers;
mod pages;
mod programs;
mod pruning;
mod records;
mod rules;
mod secrecy;
mod storage;
#[cfg(test)]
mod tests;
mod tokens;
mod tournaments;
mod versus;

pub use bots::{
    BotRecord, bot_record, bot_records, bots_by_seat, is_player, only_versions, programs_played,
};
pub use changes::{Change, changed, changes, follows_change, last_change};
pub use contents::{
    Contents, bluffs, bluffs_after, contents, entries, entries_page, facts, facts_page, has_fact,
    head, last_bluff, last_numbers, last_numbers_of, transcript, whole_transcript,
};
pub use entrants::match_numbered;
pub use integrity::{EntryCounts, entry_counts, integrity, match_ids};
pub use ledger::{
    LedgerLine, last_decision, ledger_newest, ledger_newest_of, ledger_page, times_by_seat,
};
pub use match_facts::facts_by_seat;
pub use matches::{
    ended_since, is_over, last_market, match_of_market, match_row, matches, matches_ended, session,
    sessions, sessions_of, team_of, unfinished,
};
pub use meetings::Subject;
pub use models::{model_by_id, model_history, model_versions, models, models_now, teachings_since};
pub use newest::newest;
pub use numbers::{numbers_used, players_of, referee_nonce, seat_of_player};
pub(crate) use pages::{cut, number_after};
pub use programs::{note, program_ran, program_runs};
pub use pruning::{Pruned, prunable, prune};
pub use records::*;
pub use rules::{GameRules, KitOf};
pub use secrecy::{STDERR, public_spec};
pub use tokens::{add_token, revoke_token, tokens, use_token};
pub use tournaments::{
    ALL_ROUNDS, add_round, change_tournament_setup, create_tournament, end_tournament, tournament,
    tournament_lessons, tournament_matches, tournament_matches_numbered, tournament_rounds,
    tournaments,
};
pub use versus::versus;
