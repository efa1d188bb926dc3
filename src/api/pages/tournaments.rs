//! Tournaments, and one of them: standings, crosstable, ratings after rounds, schedule.

use super::filters::{Field, fields, link, query};
use super::layout::{Shell, shown};
use super::view::{self, When, figure, percent, when};
use super::visit::Visit;
use crate::api::kept_standings::Computed;
use crate::api::lists::Rows as _;
use crate::api::problem::Problem;
use crate::api::tournaments::{self, RoundShown, TournamentShown};
use crate::clock::now_us;
use crate::store::TournamentRow;
use crate::tournament::Progress;
use crate::tournament::standings::{Standing, Standings};
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::Scores;
use games::text::counted;
use serde_json::Value;

/// Facts that only those need who check results.
const FOLDED: [&str; 3] = ["Secret", "Commitment", "Versions"];
/// The most entrants in a crosstable.
const CROSSTABLE_MAX: usize = 40;

#[derive(Template)]
#[template(path = "pages/tournaments.html")]
struct Tournaments {
    shell: Shell,
    filters: Vec<Field>,
    rows: Vec<Row>,
    later: bool,
    first: String,
    next: Option<String>,
}

/// A tournament with its times.
struct Row {
    shown: TournamentShown,
    started: When,
    ended: Option<When>,
    format: String,
    /// Its rounds, matches and entrants, counted.
    size: String,
}

impl Row {
    /// What people call its game.
    fn title(&self) -> &str {
        view::title(&self.shown.game)
    }

    /// What one of its scores counts.
    fn unit(&self) -> &'static str {
        games::scores(&self.shown.game).unit
    }
}

#[derive(Template)]
#[template(path = "pages/tournament.html")]
struct Tournament {
    shell: Shell,
    row: Row,
    course: Course,
    /// Its standings; why there are none, where what is stored cannot be read in full.
    standings: Result<Shown, String>,
    rounds: Vec<Round>,
    later: bool,
    first: String,
    next: Option<String>,
}

/// How it is played, and how far it has come.
struct Course {
    /// What was fixed before it began: name and value.
    facts: Vec<(&'static str, String)>,
    /// What only those need who check it.
    folded: Vec<(&'static str, String)>,
    /// How far it has come, while it runs.
    progress: Option<ProgressShown>,
}

/// How far a tournament that runs has come.
struct ProgressShown {
    words: String,
    /// In per cent, where it is known.
    share: Option<String>,
}

/// What follows from the matches.
struct Shown {
    lines: Vec<Line>,
    remarks: Vec<String>,
    unrated: Option<String>,
    /// The crosstable; empty for a large field.
    cross: Vec<CrossLine>,
    /// The ratings after each round as a picture, and whether they have error bands.
    picture: Option<String>,
    fitted: bool,
}

/// An entrant's line of the standings.
struct Line {
    /// The query of its matches.
    matches: String,
    rank: String,
    name: String,
    house: bool,
    spec: String,
    games: u64,
    record: String,
    points: String,
    pairs: String,
    pairs_range: String,
    elo: String,
    /// Half of the interval by tables, which is the one to trust, and the ends of the one by single results.
    error: String,
    error_single: String,
    score: String,
    faults: String,
    decisions: String,
}

/// An entrant's line of the crosstable.
struct CrossLine {
    place: usize,
    name: String,
    cells: Vec<Cell>,
}

/// The outcome of a pair.
enum Cell {
    Own,
    Never,
    Met {
        /// The query of their matches.
        matches: String,
        points: String,
        record: String,
        share: String,
    },
}

/// A round of the schedule.
struct Round {
    number: u32,
    decided: When,
    why: String,
    tables: Vec<String>,
    byes: String,
    matches: Vec<Played>,
    /// How many there are, in words.
    ended: String,
}

/// A match of a round.
struct Played {
    id: String,
    table: u32,
    text: String,
    /// How it ended, if not as it should.
    fault: String,
}

/// `GET /tournaments`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params::<tournaments::Tournaments>()?;
    let follow = Some(visit.events().await);
    let listed = tournaments::Tournaments::page(&visit, &params).await?;
    shown(&Tournaments {
        shell: Shell {
            follow,
            ..visit.shell("Tournaments", "/tournaments")
        },
        filters: fields::<tournaments::Tournaments>(&visit, &["game"]),
        rows: listed.items.into_iter().map(row).collect(),
        later: visit.value("cursor").is_some(),
        first: link(&visit, "cursor", ""),
        next: listed.next.map(|next| link(&visit, "cursor", &next)),
    })
}

/// `GET /tournaments/{id}`
pub(super) async fn one(Path(id): Path<String>, visit: Visit) -> Result<Response, Problem> {
    let params = visit.params::<tournaments::Schedule>()?;
    let events = visit.events().await;
    let stored = tournaments::row(&visit, &id).await?;
    let rounds = tournaments::rounds(&visit, &stored, &params).await?;
    let course = course(&visit, &stored).await?;
    // Whether all of them are on this page.
    let whole = rounds.next.is_none() && visit.value("cursor").is_none();
    let standings = match standings(&visit, &id, whole).await {
        Err(problem) if problem.is_unreadable() => Err(problem.detail().to_owned()),
        standings => Ok(standings?),
    };
    let found = tournaments::shown(&visit.sight, stored);
    let (running, scores) = (found.ended.is_none(), games::scores(&found.game));
    shown(&Tournament {
        shell: Shell {
            follow: running.then_some(events),
            ..visit.shell(&found.name, "/tournaments")
        },
        course,
        standings,
        rounds: rounds
            .items
            .into_iter()
            .map(|shown| round(shown, scores))
            .collect(),
        later: visit.value("cursor").is_some(),
        first: link(&visit, "cursor", ""),
        next: rounds
            .next
            .map(|next| format!("{}#schedule", link(&visit, "cursor", &next))),
        row: row(found),
    })
}

async fn standings(visit: &Visit, id: &str, whole: bool) -> Result<Shown, Problem> {
    let to = |round: u32| {
        let page = match (whole, round) {
            (true, _) => String::new(),
            // The cursor is the last round of the page before, from 0.
            (false, 2..) => link(visit, "cursor", &(round - 2).to_string()),
            (false, _) => link(visit, "cursor", ""),
        };
        format!("{page}#round-{round}")
    };
    let computed = tournaments::computed(visit, id).await?;
    let history = tournaments::history(visit, &computed).await?;
    let Computed { standings, .. } = &*computed;
    let entrants = standings.entrants.iter();
    Ok(Shown {
        lines: entrants
            .map(|one| entrant(standings, visit, id, one))
            .collect(),
        remarks: standings.remarks.clone(),
        unrated: standings.unrated.clone(),
        cross: crosstable(standings, id),
        picture: standings.picture(&history, Some(&to)),
        fitted: history.fitted,
    })
}

async fn course(visit: &Visit, row: &TournamentRow) -> Result<Course, Problem> {
    let found = tournaments::shown(&visit.sight, row.clone());
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(view::value(other)),
    };
    let mut facts = vec![
        ("Format", text(&found.schedule)),
        ("Seats", text(&found.seats)),
        ("Decks a table", text(&found.decks)),
        ("Thinking", text(&found.budget)),
        ("Seed", found.seed.map(|seed| seed.to_string())),
        ("Secret", found.secret),
        ("Commitment", found.commitment),
    ];
    let versions = row.setup["versions"].as_object().into_iter().flatten();
    let versions: Vec<String> = versions
        .filter_map(|(name, version)| Some(format!("{name} {}", version.as_str()?)))
        .collect();
    facts.push((
        "Versions",
        Some(versions.join(", ")).filter(|text| !text.is_empty()),
    ));
    let facts = facts.into_iter();
    let facts = facts.filter_map(|(name, value)| Some((name, value?)));
    let (folded, facts) = facts.partition(|(name, _)| FOLDED.contains(name));
    let progress = match row.ended_us {
        Some(_) => None,
        None => Progress::read(&visit.state.store, row).await?,
    };
    Ok(Course {
        facts,
        folded,
        progress: progress.as_ref().map(progress_shown),
    })
}

fn progress_shown(progress: &Progress) -> ProgressShown {
    let of = progress.rounds_total;
    let of = of.map_or_else(String::new, |total| format!(" of {total}"));
    let mut words = format!(
        "Round {}{of}: {} of {} ended",
        progress.rounds,
        progress.ended,
        counted(progress.planned, "match")
    );
    if let Some(left) = progress.left(now_us()) {
        words.push_str(&format!("; about {} left", view::spell(left)));
    }
    ProgressShown {
        words,
        share: progress
            .share()
            .map(|share| format!("{:.1}", 100.0 * share)),
    }
}

fn row(shown: TournamentShown) -> Row {
    let format = shown.schedule["format"]
        .as_str()
        .or(shown.schedule.as_str());
    Row {
        started: when(shown.started),
        ended: shown.ended.map(when),
        size: format!(
            "{}, {}, {}",
            counted(shown.rounds, "round"),
            counted(shown.matches, "match"),
            counted(shown.entrants.len(), "entrant")
        ),
        format: format.unwrap_or("rounds").to_owned(),
        shown,
    }
}

fn entrant(standings: &Standings, visit: &Visit, tournament: &str, one: &Standing) -> Line {
    let scale = standings.model.as_ref().map_or(1.0, |model| model.scale);
    let figures = &one.figures;
    let rating = one.rating.as_ref();
    let elo = |value: f64| format!("{:.0}", (scale * value).round() + 0.0);
    let faults = figures.faults.iter();
    let mut faults: Vec<String> = faults
        .map(|(cause, count)| format!("{count} {}", cause.replace('_', " ")))
        .collect();
    for (count, what) in [
        (figures.refused, "refused"),
        (figures.missed, "missed"),
        (figures.fallback, "by its fallback"),
    ] {
        if count > 0 {
            faults.push(format!("{count} {what}"));
        }
    }
    let parts = figures.participation.iter();
    faults.extend(parts.map(|(how, count)| format!("{count} {how}")));
    let ms = |ms: f64| view::micros((ms * 1e3) as u64);
    Line {
        matches: query([("tournament", tournament), ("entrant", &*one.name)]),
        rank: one
            .rank
            .map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
        name: one.name.clone(),
        house: one.house,
        spec: visit.sight.spec(&one.spec, Some(&one.name)).to_owned(),
        games: figures.games,
        record: format!("{}–{}–{}", one.won, one.drawn, one.lost),
        points: figure(one.points),
        pairs: percent(figures.pair_score),
        pairs_range: format!(
            "{:.0}–{:.0}",
            100.0 * figures.pair_score_low,
            100.0 * figures.pair_score_high
        ),
        elo: rating.map_or_else(String::new, |rated| elo(rated.elo)),
        error: rating.map_or_else(String::new, |rated| {
            match (rated.table_lower, rated.table_upper) {
                (Some(lower), Some(upper)) => format!("±{}", elo((upper - lower) / 2.0)),
                _ => String::new(),
            }
        }),
        error_single: rating.map_or_else(String::new, |rated| {
            format!(
                "+{} −{}",
                elo(rated.upper - rated.elo),
                elo(rated.elo - rated.lower)
            )
        }),
        score: figure(figures.mean_score),
        faults: faults.join(", "),
        decisions: match (figures.decision_ms_p50, figures.decision_ms_p99) {
            (Some(half), Some(most)) => format!("{} / {}", ms(half), ms(most)),
            _ => String::new(),
        },
    }
}

fn crosstable(standings: &Standings, tournament: &str) -> Vec<CrossLine> {
    let entrants = &standings.entrants;
    if entrants.len() > CROSSTABLE_MAX {
        return Vec::new();
    }
    let cell = |one: &Standing, place: usize, other: usize| {
        if place == other {
            return Cell::Own;
        }
        let met = one.opponents.iter().find(|split| split.place == other);
        met.map_or(Cell::Never, |split| Cell::Met {
            matches: query([
                ("tournament", tournament),
                ("entrant", &*one.name),
                ("opponent", &*split.name),
            ]),
            points: figure(split.points),
            record: format!("{}–{}–{}", split.won, split.drawn, split.lost),
            share: format!(
                "{} of the pairs, 95 % between {:.0} and {:.0}",
                percent(split.pair_score),
                100.0 * split.pair_score_low,
                100.0 * split.pair_score_high
            ),
        })
    };
    let lines = entrants.iter().enumerate().map(|(place, one)| CrossLine {
        place: place + 1,
        name: one.marked(),
        cells: (0..entrants.len())
            .map(|other| cell(one, place, other))
            .collect(),
    });
    lines.collect()
}

fn round(round: RoundShown, scores: Scores) -> Round {
    let ended = counted(round.matches.len(), "match");
    let matches = round.matches.into_iter().map(|played| {
        let seats = played.entrants.iter().enumerate();
        let seats = seats.map(|(seat, name)| match played.scores.get(seat) {
            Some(score) => format!("{name} {}", scores.short(*score)),
            None => name.clone(),
        });
        Played {
            text: seats.collect::<Vec<_>>().join(" · "),
            id: played.match_id,
            table: played.table + 1,
            fault: match played.cause {
                games::Cause::Normal => String::new(),
                cause => view::cause(cause),
            },
        }
    });
    Round {
        ended,
        number: round.round + 1,
        decided: when(round.decided),
        why: round.why.as_str().unwrap_or_default().to_owned(),
        tables: round.tables.iter().map(|table| table.join(" · ")).collect(),
        byes: round.byes.join(", "),
        matches: matches.collect(),
    }
}
