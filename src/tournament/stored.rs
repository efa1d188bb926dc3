//! Stored tournaments as standings take them.

use super::chance::Drawn;
use super::sides::counted;
use super::standings::{History, Named, PlayedGame, RankSettings, Standings, TieBreak};
use crate::history::{self, ALL_ROUNDS, TournamentMatch, public_spec};
use crate::store::types::NewEntrant;
use crate::store::{Store, TournamentRow};
use anyhow::Context as _;
use games::Kit;
use ratings::schedule::Round;
use serde_json::Value;

/// The key of a round's decision that says why programs were not isolated.
pub(super) const NOT_ISOLATED: &str = "not_isolated";

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
    /// Why programs were not isolated from each other, in some of its rounds at least.
    pub not_isolated: Option<String>,
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
        let (mut rounds, mut not_isolated) = (Vec::new(), None);
        for stored in history::tournament_rounds(store.reader(), id, ALL_ROUNDS).await? {
            let number = stored.round + 1;
            if let Some(why) = stored.decision[NOT_ISOLATED].as_str() {
                not_isolated.get_or_insert_with(|| why.to_owned());
            }
            let round = serde_json::from_value(stored.decision);
            rounds.push(round.with_context(|| {
                format!("tournament {id}: round {number} is stored in a form that is not known")
            })?);
        }
        let options = row.setup.get("options").cloned().unwrap_or(Value::Null);
        let stored = history::tournament_matches(store.reader(), id, ALL_ROUNDS).await?;
        let games = stored
            .into_iter()
            .map(|stored| played_game(kit, &options, &entrants, stored));
        let games = games.collect::<anyhow::Result<_>>()?;
        Ok(Self {
            row,
            entrants,
            rounds,
            games,
            not_isolated,
        })
    }

    /// Its ratings after each round.
    ///
    /// # Errors
    /// If there are too many results to be rated.
    pub fn history(&self) -> anyhow::Result<History> {
        let history = History::new(&self.entrants, &self.games, &RankSettings::default());
        history.context("the ratings after each round")
    }

    /// Its standings, ranked as its file says.
    ///
    /// # Errors
    /// If its file ranks by what is not known.
    pub fn standings(&self) -> anyhow::Result<Standings> {
        let remarks = Remarks {
            not_isolated: self.not_isolated.as_deref(),
            over: self.over(),
        };
        standings_of(&self.row.setup, remarks, &self.entrants, &self.games)
    }

    /// What all chance followed from, as far as everybody may read it.
    #[must_use]
    pub fn drawn(&self) -> Option<Drawn> {
        let row = &self.row;
        Drawn::new(&row.id, &row.setup, row.ended_us.is_some())
    }

    /// Why it is over, if it is.
    #[must_use]
    pub fn over(&self) -> Option<&str> {
        self.row.ended_us.map(|_| &*self.row.ended_why)
    }
}

/// A stored match as it counts.
///
/// # Errors
/// If it was played by others than these entrants.
pub(super) fn played_game(
    kit: &dyn Kit,
    options: &Value,
    entrants: &[Named],
    stored: TournamentMatch,
) -> anyhow::Result<PlayedGame> {
    let (number, round, table_no, seed) = (stored.number, stored.round, stored.table, stored.seed);
    let mut table: Vec<usize> = Vec::new();
    for name in &stored.entrants {
        let place = entrants.iter().position(|entrant| entrant.name == *name);
        let place = place.with_context(|| {
            format!(
                "match {} was played by {name:?}, who is no entrant",
                number + 1
            )
        })?;
        // Whole teams sit together: each side once.
        if !table.contains(&place) {
            table.push(place);
        }
    }
    Ok(PlayedGame {
        number,
        round,
        table: table_no,
        seed,
        counted: counted(kit, options, &table, &stored.into())?,
    })
}

/// What standings say besides results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remarks<'a> {
    /// Why programs were not isolated from each other, if they were not.
    pub not_isolated: Option<&'a str>,
    /// Why the tournament is over, if it is.
    pub over: Option<&'a str>,
}

/// The standings of matches, ranked as the tournament's setup says.
///
/// # Errors
/// If it ranks by what is not known.
pub fn standings_of(
    setup: &Value,
    remarks: Remarks<'_>,
    entrants: &[Named],
    games: &[PlayedGame],
) -> anyhow::Result<Standings> {
    let given = setup.get("rank_by").cloned().unwrap_or_default();
    let order: Option<Vec<TieBreak>> = serde_json::from_value(given).context("rank_by")?;
    let usual = RankSettings::default();
    let first = match setup["schedule"]["format"].as_str() {
        Some("knock-out") => Some(TieBreak::Progress),
        // A bye gives no points.
        Some("swiss") => Some(TieBreak::Share),
        _ => None,
    };
    let order = order.filter(|order| !order.is_empty());
    let remark =
        |why: &str| format!("programs were not isolated: one could end another's process ({why})");
    let settings = RankSettings {
        order: order.unwrap_or_else(|| first.into_iter().chain(usual.order.clone()).collect()),
        remarks: remarks.not_isolated.map(remark).into_iter().collect(),
        over: remarks.over.map(str::to_owned),
        ..usual
    };
    Ok(Standings::new(entrants, games, &settings))
}

fn named(entrant: &NewEntrant) -> Named {
    Named {
        name: entrant.name.clone(),
        spec: public_spec(&entrant.spec).to_owned(),
        house: entrant.house,
    }
}
