//! Who met whom in which match, and how it ended between the two.

use super::narrow::{BEHIND, OWN, meant};
use super::pages::Found;
use super::records::{Filter, Standing};
use super::secrecy::OVER;
use crate::store::rows::json;
use crate::store::sql::{query, query_as};
use crate::store::types::SeatNotes;
use crate::store::{Reader, StoreError};
use games::neutral::BUILT_IN;
use games::{Cause, Kit, Outcome, Seat, are_mates};
use serde::Deserialize;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Whose record against whom.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// One of our bots, against each rival.
    Bot(&'a str),
    /// A named opponent, against each of our bots.
    Opponent(&'a str),
    /// A learnt type, against each of our bots: the built-in bot that has its name.
    Type(&'a str),
}

/// Each of our seats with each other seat, of matches `?1` (JSON): one row a match, since rows are what costs. The
/// place is below 0 where our seat is unknown.
const MEETINGS: &str = "
    WITH own AS MATERIALIZED ({own}), met AS MATERIALIZED (
        SELECT t.match_id, t.seat, t.spec, t.name, t.entrant, {behind} AS behind
        FROM json_each($1) w CROSS JOIN seats t ON t.match_id = w.value)
    SELECT o.match_id, CAST(json_group_array(
        json_array(o.place, o.bot, t.seat, t.spec, t.name, t.entrant, t.behind) ORDER BY o.place, t.seat) AS TEXT)
    FROM own o CROSS JOIN met t ON t.match_id = o.match_id AND t.seat <> o.place
    WHERE ($2 IS NULL OR (o.bot >= $2 AND o.bot < $3)) AND ($4 IS NULL OR t.name = $4)
        AND ($5 IS NULL OR t.spec = 'builtin:' || $5 OR t.behind IN ($5, 'builtin:' || $5))
    GROUP BY o.match_id ORDER BY o.match_id DESC";

/// How these matches ended, and each of their seats did.
const ENDED: &str = "
    SELECT m.id, m.cause, m.blame, {over}, m.game,
        CAST(json_group_array(json_array(r.score, r.win_share) ORDER BY t.seat) AS TEXT),
        (SELECT p.notes FROM tournament_matches p WHERE p.match_id = m.id)
    FROM json_each($1) w CROSS JOIN matches m ON m.id = w.value
    JOIN seats t ON t.match_id = m.id LEFT JOIN results r ON r.match_id = m.id AND r.seat = t.seat
    WHERE m.ended_us IS NOT NULL GROUP BY m.id ORDER BY m.id DESC";

/// Our seats of a match, each with each other seat.
type SeatsMet = (String, Vec<SeatMet>);

/// One of our seats and another one.
#[derive(Deserialize)]
struct SeatMet {
    /// Ours; below 0 where it is unknown.
    place: i64,
    bot: String,
    seat: u8,
    spec: String,
    name: Option<String>,
    entrant: Option<String>,
    /// Our bot that answers behind its spec.
    behind: Option<String>,
}

/// A match that has ended.
pub(super) struct Ended {
    pub(super) id: String,
    pub(super) cause: String,
    pub(super) blame: Option<u8>,
    /// `None` while any of our sessions goes on.
    over_us: Option<i64>,
    /// By seat: score and share of the win, where known.
    pub(super) results: Vec<(Option<i64>, Option<f64>)>,
    /// By seat: the team, where there are teams.
    teams: Option<Vec<u8>>,
    /// By seat: what a tournament keeps of it.
    notes: Vec<SeatNotes>,
    /// By two seats: the first one's share, where that counts.
    duels: HashMap<(u8, u8), f64>,
}

/// One of our seats and another one in a match.
pub(super) struct Meeting<'a> {
    pub(super) at: &'a Ended,
    pub(super) own: u8,
    pub(super) rival: u8,
    /// What it is listed under: the rival's name, or our bot's.
    pub(super) with: String,
    /// The name on the rival's seat; without any, its spec.
    name: String,
    /// Whether the rival has no name besides what plays there.
    unnamed: bool,
}

impl Ended {
    /// What counts between each two seats: what the game says, where all scores are known; else who has the greater
    /// share of the win. Allies have no results against each other.
    fn count(&mut self, kit: Option<&dyn Kit>) {
        let scores: Option<Vec<i64>> = self.results.iter().map(|(score, _)| *score).collect();
        let cause = Cause::from_word(&self.cause);
        if let (Some(kit), Some(scores), Some(cause)) = (kit, scores, cause) {
            let scores = scores.into_iter().collect();
            let is_last = |seat: Seat| {
                let notes = self.notes.get(seat.index());
                notes.is_some_and(|notes| notes.fault == Some(Cause::NotPlayed))
            };
            let outcome = Outcome { cause, scores };
            for duel in kit.earned(self.teams.as_deref(), &outcome, is_last).1 {
                let (first, second) = (duel.first.0, duel.second.0);
                self.duels.insert((first, second), duel.share);
                self.duels.insert((second, first), 1.0 - duel.share);
            }
        } else {
            let shares = (0_u8..).zip(&self.results);
            let known = shares.filter_map(|(seat, (_, share))| Some((seat, (*share)?)));
            let known: Vec<(u8, f64)> = known.collect();
            for (first, one) in &known {
                for (second, other) in &known {
                    // Two that have lost may have lost to each other too.
                    let share = match one.total_cmp(other) {
                        Ordering::Less => 0.0,
                        Ordering::Greater => 1.0,
                        Ordering::Equal if *one > 0.0 && cause == Some(Cause::Normal) => 0.5,
                        Ordering::Equal => continue,
                    };
                    if first != second {
                        self.duels.insert((*first, *second), share);
                    }
                }
            }
        }
        if let Some(teams) = &self.teams {
            self.duels
                .retain(|(one, other), _| !are_mates(teams, Seat(*one), Seat(*other)));
        }
    }

    /// Whether what happened in it may be shown.
    pub(super) fn is_open(&self, open_us: i64) -> bool {
        self.over_us.is_some_and(|over_us| over_us <= open_us)
    }

    fn are_allies(&self, one: u8, other: u8) -> bool {
        let teams = self.teams.as_ref();
        teams.is_some_and(|teams| are_mates(teams, Seat(one), Seat(other)))
    }
}

impl Meeting<'_> {
    /// Our share of a win between the two.
    pub(super) fn share(&self) -> Option<f64> {
        self.at.duels.get(&(self.own, self.rival)).copied()
    }

    /// How many seats clockwise from ours the rival sits.
    pub(super) fn place(&self) -> u8 {
        let seats = self.at.results.len().max(1) as u8;
        (self.rival + seats - self.own % seats) % seats
    }

    /// Whether this is what the rival is called.
    fn is_with(&self, rival: &str) -> bool {
        let built_in = rival.strip_prefix(BUILT_IN).filter(|_| self.unnamed);
        self.with == rival || self.name == rival || built_in == Some(&*self.with)
    }
}

/// Those of these matches in which the filter's bot met its opponent, with the outcome between the two that it
/// asks for. If it asks for none, also matches that have not ended, and those that do not show which seat the bot
/// had. All of these matches, unless the filter names both.
pub(super) async fn met(
    reader: &Reader,
    mut found: Found,
    filter: &Filter,
) -> Result<Vec<String>, StoreError> {
    let (Some(bot), Some(opponent)) = (&filter.bot, &filter.opponent) else {
        return Ok(found.ids);
    };
    let ended = ended(reader, &found).await?;
    let mut known = HashMap::new();
    let rows = seats_met(reader, &found, Subject::Bot(bot)).await?;
    for (id, seats) in rows {
        let at = by_id(&ended, &id);
        let fits = seats.into_iter().any(|seats| {
            let seated = at.is_some() && seats.place >= 0;
            let met = at.and_then(|at| meeting(seats, Subject::Bot(bot), at));
            match (met, filter.between) {
                (Some(met), None) => met.is_with(opponent),
                (Some(met), wanted) => {
                    met.is_with(opponent) && met.share().map(Standing::of_share) == wanted
                }
                (None, wanted) => !seated && wanted.is_none(),
            }
        });
        known.insert(id, fits);
    }
    // Where none of our seats shows whom the bot met, the rows of the match have decided.
    let unknown = filter.between.is_none();
    found
        .ids
        .retain(|id| known.get(id).copied().unwrap_or(unknown));
    Ok(found.ids)
}

/// The subject's meetings in these matches, newest first, match by match.
pub(super) async fn meetings<'a>(
    reader: &Reader,
    found: &Found,
    subject: Subject<'_>,
    ended: &'a [Ended],
) -> Result<Vec<Meeting<'a>>, StoreError> {
    let mut meetings = Vec::new();
    for (id, seats) in seats_met(reader, found, subject).await? {
        if let Some(at) = by_id(ended, &id) {
            let seats = seats.into_iter();
            meetings.extend(seats.filter_map(|seats| meeting(seats, subject, at)));
        }
    }
    Ok(meetings)
}

async fn seats_met(
    reader: &Reader,
    found: &Found,
    subject: Subject<'_>,
) -> Result<Vec<SeatsMet>, StoreError> {
    let (bot, opponent, kind) = match subject {
        Subject::Bot(name) => (Some(name), None, None),
        Subject::Opponent(name) => (None, Some(name), None),
        Subject::Type(name) => (None, None, Some(name)),
    };
    let bot = bot.map(meant);
    let meetings = MEETINGS.replace("{own}", OWN).replace("{behind}", BEHIND);
    let rows = query_as::<(String, String)>(meetings)
        .bind(found.json())
        .bind(bot.as_ref().map(|[from, _]| from.clone()))
        .bind(bot.map(|[_, below]| below))
        .bind(opponent.map(str::to_owned))
        .bind(kind.map(str::to_owned));
    let rows = rows.fetch_all(reader.pool()).await?.into_iter();
    rows.map(|(id, seats)| Ok((id, json(&seats)?))).collect()
}

/// How these matches ended, newest first.
pub(super) async fn ended(reader: &Reader, found: &Found) -> Result<Vec<Ended>, StoreError> {
    let rows = query(ENDED.replace("{over}", OVER))
        .bind(found.json())
        .fetch_all(reader.pool())
        .await?;
    let (mut all, mut games) = (Vec::<Ended>::new(), Vec::<Option<&dyn Kit>>::new());
    for row in &rows {
        games.push(reader.kit(row.try_get(4)?));
        all.push(Ended {
            id: row.try_get(0)?,
            cause: row.try_get(1)?,
            blame: row.try_get(2)?,
            over_us: row.try_get(3)?,
            results: json(row.try_get(5)?)?,
            teams: None,
            notes: row
                .try_get::<Option<&str>>(6)?
                .map_or(Ok(Vec::new()), json)?,
            duels: HashMap::new(),
        });
    }
    let with_teams = |kit: &&dyn Kit| kit.card().teams.is_some();
    if games.iter().flatten().any(with_teams) {
        let mut setups = setups(reader, found).await?;
        for (ended, kit) in all.iter_mut().zip(&games) {
            let setup = setups.remove(&ended.id);
            let kit = kit.filter(with_teams);
            ended.teams = kit
                .zip(setup)
                .and_then(|(kit, setup)| kit.card().teams_of(&setup));
        }
    }
    let counted = all.iter_mut().zip(games);
    counted.for_each(|(ended, kit)| ended.count(kit));
    Ok(all)
}

/// What these matches were started from.
async fn setups(reader: &Reader, found: &Found) -> Result<HashMap<String, String>, StoreError> {
    let rows: Vec<(String, String)> = query_as(
        "SELECT m.id, m.setup FROM json_each($1) w CROSS JOIN matches m ON m.id = w.value",
    )
    .bind(found.json())
    .fetch_all(reader.pool())
    .await?;
    Ok(rows.into_iter().collect())
}

/// The match with this id among these, newest first.
fn by_id<'a>(ended: &'a [Ended], id: &str) -> Option<&'a Ended> {
    let at = ended.binary_search_by(|one| id.cmp(&one.id)).ok()?;
    ended.get(at)
}

/// One of our seats and another one in this match; `None` if ours is unknown, for allies, and for what is reported of the
/// other one's side.
fn meeting<'a>(met: SeatMet, subject: Subject<'_>, at: &'a Ended) -> Option<Meeting<'a>> {
    let (own, rival) = (u8::try_from(met.place).ok()?, met.seat);
    let known_as = met.entrant.as_ref().or(met.name.as_ref());
    let plays = met.behind.as_ref().unwrap_or(&met.spec);
    let plays = plays.strip_prefix(BUILT_IN).unwrap_or(plays);
    let unnamed = known_as.is_none();
    let with = known_as.map_or(plays, String::as_str).to_owned();
    if at.are_allies(own, rival) || (with == met.bot && own > rival) {
        return None;
    }
    Some(Meeting {
        at,
        own,
        rival,
        with: match subject {
            Subject::Bot(_) => with,
            Subject::Opponent(_) | Subject::Type(_) => met.bot,
        },
        name: met.name.unwrap_or(met.spec),
        unnamed,
    })
}

#[cfg(test)]
mod tests {
    use super::Ended;
    use games::Cause;
    use std::collections::HashMap;

    fn ended(game: &str, cause: Cause, results: Vec<(Option<i64>, Option<f64>)>) -> Ended {
        let teams = (game == "planetwars").then(|| vec![1, 1, 2, 2]);
        let mut ended = Ended {
            id: "1".into(),
            cause: cause.word().into(),
            blame: None,
            over_us: Some(1),
            results,
            teams,
            notes: Vec::new(),
            duels: HashMap::new(),
        };
        ended.count(games::find(game));
        ended
    }

    fn scores(scores: &[i64]) -> Vec<(Option<i64>, Option<f64>)> {
        scores.iter().map(|score| (Some(*score), None)).collect()
    }

    fn wins(shares: &[f64]) -> Vec<(Option<i64>, Option<f64>)> {
        shares.iter().map(|share| (None, Some(*share))).collect()
    }

    #[test]
    fn what_counts_between_two_is_what_the_game_says() {
        let duel = |ended: &Ended, pair| ended.duels.get(&pair).copied();
        let all = ended("planowanie", Cause::Normal, scores(&[5, 5, 2]));
        assert_eq!(
            (duel(&all, (0, 1)), duel(&all, (2, 1))),
            (Some(0.5), Some(0.0))
        );
        // Of a game that ended by a fault, only the results of who is at fault.
        let fault = ended("planowanie", Cause::TimeForfeit, scores(&[-1, 5, 2]));
        assert_eq!(
            (duel(&fault, (1, 0)), duel(&fault, (1, 2))),
            (Some(1.0), None)
        );
        let teams = ended("planetwars", Cause::Normal, scores(&[9, 9, 3, 3]));
        assert_eq!(
            (duel(&teams, (0, 1)), duel(&teams, (0, 3))),
            (None, Some(1.0))
        );
        assert!(teams.are_allies(2, 3) && !teams.are_allies(1, 2) && !all.are_allies(0, 1));
        // Where only the winner is reported, two losers may have lost to each other too.
        let winner_only = ended("smartdog", Cause::Normal, wins(&[0.5, 0.0, 0.5, 0.0]));
        assert_eq!(
            (duel(&winner_only, (0, 2)), duel(&winner_only, (1, 2))),
            (Some(0.5), Some(0.0))
        );
        assert_eq!(duel(&winner_only, (1, 3)), None);
        let given_up = ended("smartdog", Cause::Disconnect, wins(&[0.5, 0.0, 0.5]));
        assert_eq!(
            (duel(&given_up, (0, 2)), duel(&given_up, (0, 1))),
            (None, Some(1.0))
        );
    }
}
