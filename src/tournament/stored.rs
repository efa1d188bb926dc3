//! Stored tournaments as standings take them.

use super::match_player::PlayedMatch;
use super::sides::Sides;
use super::standings::{Named, PlayedGame, RankSettings, Standings, TieBreak};
use crate::referee::DecisionTimes;
use crate::referee::histogram::Histogram;
use crate::store::types::NewEntrant;
use crate::store::{Store, TournamentMatch, TournamentRow};
use anyhow::Context as _;
use games::{Blame, Kit, Outcome, Seat};
use ratings::schedule::Round;
use serde_json::Value;

/// A tournament as it is stored.
#[derive(Debug)]
pub struct StoredTournament {
    /// Its row.
    pub row: TournamentRow,
    /// Its entrants, in order.
    pub entrants: Vec<Named>,
    /// Its rounds so far.
    pub rounds: Vec<Round>,
    /// Its matches that have ended.
    pub games: Vec<PlayedGame>,
}

impl StoredTournament {
    /// Reads a tournament's rounds and matches.
    ///
    /// # Errors
    /// If they cannot be read, or are stored in a form that is not known.
    pub async fn read(store: &Store, row: TournamentRow) -> anyhow::Result<Self> {
        let id = row.id.as_str();
        let kit = games::find(&row.game);
        let kit =
            kit.with_context(|| format!("tournament {id}: there is no game {:?}", row.game))?;
        let entrants: Vec<Named> = row.entrants.iter().map(named).collect();
        let mut rounds = Vec::new();
        for stored in store.tournament_rounds(id).await? {
            let number = stored.round + 1;
            let round = serde_json::from_value(stored.decision);
            rounds.push(round.with_context(|| {
                format!("tournament {id}: round {number} is stored in a form that is not known")
            })?);
        }
        let options = row.setup.get("options").cloned().unwrap_or(Value::Null);
        let stored = store.tournament_matches(id).await?;
        let games = stored
            .iter()
            .map(|stored| played_game((kit, &options), &entrants, stored));
        let games = games.collect::<anyhow::Result<_>>()?;
        Ok(Self {
            row,
            entrants,
            rounds,
            games,
        })
    }

    /// Its standings, ranked as its file says.
    ///
    /// # Errors
    /// If its file ranks by what is not known.
    pub fn standings(&self) -> anyhow::Result<Standings> {
        standings(&self.row.setup, &self.entrants, &self.games)
    }
}

/// A stored match as it counts.
///
/// # Errors
/// If it was played by others than these entrants.
fn played_game(
    (kit, options): (&dyn Kit, &Value),
    entrants: &[Named],
    stored: &TournamentMatch,
) -> anyhow::Result<PlayedGame> {
    let place = |name: &String| {
        let place = entrants.iter().position(|entrant| entrant.name == *name);
        place.with_context(|| {
            format!(
                "match {} was played by {name:?}, who is no entrant",
                stored.number + 1
            )
        })
    };
    let seated = stored
        .entrants
        .iter()
        .map(place)
        .collect::<anyhow::Result<Vec<_>>>()?;
    // Whole teams sit together: each side once.
    let mut table: Vec<usize> = Vec::new();
    for entrant in seated {
        if !table.contains(&entrant) {
            table.push(entrant);
        }
    }
    let sides = Sides::new(kit, options, &table)?;
    let notes = &stored.notes;
    let blames = (0u8..).zip(notes).filter_map(|(seat, notes)| {
        Some(Blame {
            seat: Seat(seat),
            cause: notes.fault?,
            detail: String::new(),
        })
    });
    let played = PlayedMatch {
        number: stored.number,
        seed: stored.seed,
        started_us: stored.started_us,
        seats: Vec::new(),
        outcome: Outcome {
            cause: stored.cause,
            scores: stored.scores.iter().copied().collect(),
        },
        transcript: Vec::new(),
        blames: blames.collect(),
        stderr: Vec::new(),
        refused: notes.iter().map(|notes| notes.refused).collect(),
        missed: notes.iter().map(|notes| notes.missed).collect(),
        took: notes
            .iter()
            .map(|notes| Histogram::of_pairs(&notes.took))
            .collect(),
        times: DecisionTimes::Stamped,
    };
    Ok(PlayedGame {
        number: stored.number,
        round: stored.round,
        table: stored.table,
        seed: stored.seed,
        counted: sides.counted(kit, &played),
    })
}

/// The standings of matches, ranked as the tournament's setup says.
pub(super) fn standings(
    setup: &Value,
    entrants: &[Named],
    games: &[PlayedGame],
) -> anyhow::Result<Standings> {
    let given = setup.get("rank_by").cloned().unwrap_or_default();
    let order: Option<Vec<TieBreak>> = serde_json::from_value(given).context("rank_by")?;
    let usual = RankSettings::default();
    let order = order.filter(|order| !order.is_empty());
    let settings = RankSettings {
        order: order.unwrap_or_else(|| usual.order.clone()),
        ..usual
    };
    Ok(Standings::new(entrants, games, &settings))
}

fn named(entrant: &NewEntrant) -> Named {
    Named {
        name: entrant.name.clone(),
        spec: entrant.spec.clone(),
        house: entrant.house,
    }
}
