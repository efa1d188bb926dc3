//! Tournaments, and one of them: standings, crosstable, ratings after rounds, schedule.

use super::entrants::{Program, Programs};
use super::filters::{self, Field, Pager, fields, link, query};
use super::formats::format_words;
use super::layout::{Shell, shown};
use super::leaders::{first_place, lead, winners};
use super::view::{self, When, figure, interval, mean_score, percent, when};
use super::visit::Visit;
use crate::api::kept_standings::Computed;
use crate::api::lists::Rows as _;
use crate::api::problem::Problem;
use crate::api::tournaments::{self, PlayedShown, RoundShown, TournamentShown};
use crate::chart::minus;
use crate::clock::now_us;
use crate::store::TournamentRow;
use crate::tournament::Progress;
use crate::tournament::standings::{Standing, Standings};
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::scene::player;
use games::text::counted;
use games::{Cause, Outcome};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The most entrants in a crosstable.
const CROSSTABLE_MAX: usize = 40;
/// The most entrants whose names head its columns; of more there are only numbers.
const NAMED_MAX: usize = 8;
/// The most matches of a round that are not folded away.
const SHOWN_MAX: usize = 8;

#[derive(Template)]
#[template(path = "pages/tournaments.html")]
struct Tournaments {
    shell: Shell,
    filters: Vec<Field>,
    /// Those that are set, each with the page without it.
    chosen: Vec<(String, String)>,
    /// Each with who won it.
    rows: Vec<(Row, String)>,
    pager: Pager,
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
    pager: Pager,
}

/// How it is played, and how far it has come.
struct Course {
    /// What was fixed before it began, also for those who check it: name and value.
    facts: Vec<(&'static str, String)>,
    /// Whether each table is played from every seat.
    rotates: bool,
    /// How far it has come, while it runs.
    progress: Option<ProgressShown>,
}

/// How far a tournament that runs has come.
struct ProgressShown {
    words: String,
    /// In per cent, where it is known.
    share: Option<String>,
}

/// The classes of entrants' colours, by name: of up to ten entrants each has the one that its matches give it.
struct Colours(HashMap<String, &'static str>);

impl Colours {
    fn new(row: &TournamentRow) -> Self {
        let entrants = row.entrants.iter().enumerate();
        Self(
            entrants
                .map(|(number, one)| (one.name.clone(), player(number)))
                .collect(),
        )
    }

    fn class(&self, name: &str) -> &'static str {
        self.0.get(name).copied().unwrap_or("s-neutral")
    }
}

/// What all lines of the standings need.
struct Known<'a> {
    visit: &'a Visit,
    tournament: &'a str,
    colours: &'a Colours,
    programs: Programs<'a>,
}

/// What follows from the matches.
struct Shown {
    /// Who is first, in a sentence; empty before the first match.
    leaders: String,
    lines: Vec<Line>,
    /// How likely one of the first two is stronger than the other, in a sentence; empty where that is not known.
    lead: String,
    /// What decided the ranks, in words.
    ranked_by: String,
    remarks: Vec<String>,
    unrated: Option<String>,
    /// The crosstable; empty for a large field.
    cross: Vec<CrossLine>,
    /// The ratings after each round as a picture, and whether they have intervals.
    picture: Option<String>,
    fitted: bool,
}

/// An entrant's line of the standings.
struct Line {
    /// The query of its matches.
    matches: String,
    rank: String,
    name: String,
    colour: &'static str,
    house: bool,
    spec: String,
    program: Program,
    games: u64,
    record: String,
    points: String,
    pairs: String,
    pairs_range: String,
    elo: String,
    /// Half of the interval by tables, which is the one to trust, and the one by single results.
    error: String,
    error_single: String,
    score: String,
    faults: String,
    decisions: String,
}

/// An entrant's line of the crosstable.
struct CrossLine {
    /// The query of its matches.
    matches: String,
    place: usize,
    name: String,
    colour: &'static str,
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
    /// Why it has these tables; empty where that is what the round before it says.
    why: String,
    /// The tables of which no match has ended, each with its number.
    waiting: Vec<(usize, String)>,
    byes: String,
    matches: Vec<Played>,
    /// How many there are, in words, where they are many and folded away.
    folded: String,
}

/// A match of a round.
struct Played {
    id: String,
    table: u32,
    seats: Vec<PlayedSeat>,
    /// How it ended, if not as it should.
    fault: String,
}

/// A seat of such a match.
struct PlayedSeat {
    name: String,
    colour: &'static str,
    score: String,
    won: bool,
}

/// `GET /tournaments`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params::<tournaments::Tournaments>()?;
    let follow = Some(visit.events().await);
    let listed = tournaments::Tournaments::page(&visit, &params).await?;
    let winners = winners(&visit, &listed.items).await;
    let filters = fields::<tournaments::Tournaments>(&visit, &["game"]);
    shown(&Tournaments {
        shell: Shell {
            follow,
            ..visit.shell("Tournaments", "/tournaments")
        },
        chosen: filters::chosen(&visit, &filters),
        filters,
        rows: listed.items.into_iter().map(row).zip(winners).collect(),
        pager: Pager::new(&visit, listed.next),
    })
}

/// `GET /tournaments/{id}`
pub(super) async fn one(Path(id): Path<String>, visit: Visit) -> Result<Response, Problem> {
    let params = visit.params::<tournaments::Schedule>()?;
    let events = visit.events().await;
    let stored = tournaments::row(&visit, &id).await?;
    let rounds = tournaments::rounds(&visit, &stored, &params).await?;
    let course = course(&visit, &stored).await?;
    let mut pager = Pager::new(&visit, rounds.next);
    // Whether all of them are on this page.
    let whole = pager.next.is_none() && pager.first.is_none();
    pager.next = pager.next.map(|next| next + "#schedule");
    let colours = Colours::new(&stored);
    let standings = match standings(&visit, &stored, &colours, whole).await {
        Err(problem) if problem.is_unreadable() => Err(problem.detail().to_owned()),
        standings => Ok(standings?),
    };
    let found = tournaments::shown(&visit.sight, stored);
    let running = found.ended.is_none();
    shown(&Tournament {
        shell: Shell {
            follow: running.then_some(events),
            ..visit.shell(&found.name, "/tournaments")
        },
        course,
        standings,
        rounds: schedule(rounds.items, &found.game, &colours),
        pager,
        row: row(found),
    })
}

async fn standings(
    visit: &Visit,
    row: &TournamentRow,
    colours: &Colours,
    whole: bool,
) -> Result<Shown, Problem> {
    let id = &*row.id;
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
    let known = Known {
        visit,
        tournament: id,
        colours,
        programs: Programs::read(visit, row).await?,
    };
    let entrants = standings.entrants.iter();
    Ok(Shown {
        leaders: first_place(standings, row),
        lines: entrants
            .map(|one| entrant(standings, &known, one))
            .collect(),
        lead: lead(standings).unwrap_or_default(),
        ranked_by: standings.order_words(),
        remarks: standings.remarks.clone(),
        unrated: standings.unrated.clone(),
        cross: crosstable(standings, id, colours),
        picture: standings.picture(&history, Some(&to)),
        fitted: history.fitted,
    })
}

async fn course(visit: &Visit, row: &TournamentRow) -> Result<Course, Problem> {
    let found = tournaments::shown(&visit.sight, row.clone());
    let text = |value: &Value| Some(view::value(value)).filter(|_| !value.is_null());
    let facts = [
        ("Format", Some(format_words(&found.schedule))),
        ("Players at a table", text(&found.seats)),
        ("Decks at a table", text(&found.decks)),
        ("Thinking", found.budget.as_str().map(budget)),
        ("Seed", found.seed.map(|seed| seed.to_string())),
        ("Secret", found.secret),
        ("Commitment", found.commitment),
    ];
    let facts = facts.into_iter();
    let facts = facts.filter_map(|(name, value)| Some((name, value?)));
    let progress = match row.ended_us {
        Some(_) => None,
        None => Progress::read(&visit.state.store, row).await?,
    };
    Ok(Course {
        facts: facts.collect(),
        rotates: row.setup["rotate"].as_bool().unwrap_or(true),
        progress: progress.as_ref().map(progress_shown),
    })
}

/// A budget with its unit in full.
fn budget(text: &str) -> String {
    match (text.strip_suffix("ms"), text.strip_suffix('n')) {
        (Some(ms), _) => format!("{ms} ms"),
        (_, Some(nodes)) => format!("{nodes} nodes"),
        _ => text.to_owned(),
    }
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
    Row {
        started: when(shown.started),
        ended: shown.ended.map(when),
        size: format!(
            "{}, {}, {}",
            counted(shown.rounds, "round"),
            counted(shown.matches, "match"),
            counted(shown.entrants.len(), "entrant")
        ),
        format: format_words(&shown.schedule),
        shown,
    }
}

fn entrant(standings: &Standings, known: &Known<'_>, one: &Standing) -> Line {
    let scale = standings.model.as_ref().map_or(1.0, |model| model.scale);
    let figures = &one.figures;
    let rating = one.rating.as_ref();
    let spec = known.visit.sight.spec(&one.spec, Some(&one.name));
    let elo = |value: f64| minus(format!("{:.0}", (scale * value).round() + 0.0));
    Line {
        matches: matches_of(known.tournament, one),
        rank: one
            .rank
            .map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
        name: one.name.clone(),
        colour: known.colours.class(&one.name),
        house: one.house,
        spec: spec.to_owned(),
        program: known.programs.program(&one.name, &one.spec),
        games: figures.games,
        record: format!("{}–{}–{}", one.won, one.drawn, one.lost),
        points: figure(one.points),
        pairs: percent(figures.pair_score),
        pairs_range: interval(
            figures.pair_score_low,
            figures.pair_score_high,
            figures.games,
        ),
        elo: rating.map_or_else(String::new, |rated| elo(rated.elo)),
        error: rating.map_or_else(String::new, |rated| {
            let (lower, upper) = rated.interval();
            format!("±{}", elo((upper - lower) / 2.0))
        }),
        error_single: rating.map_or_else(String::new, |rated| {
            let (up, down) = (elo(rated.upper - rated.elo), elo(rated.elo - rated.lower));
            match up == down {
                true => format!("±{up}"),
                false => format!("+{up} −{down}"),
            }
        }),
        score: mean_score(figures.mean_score),
        faults: faults(one),
        decisions: match (figures.decision_ms_p50, figures.decision_ms_p99) {
            (Some(half), Some(most)) => {
                format!("{} / {}", view::answer_time(half), view::answer_time(most))
            }
            _ => String::new(),
        },
    }
}

/// The query of an entrant's matches.
fn matches_of(tournament: &str, one: &Standing) -> String {
    query([("tournament", tournament), ("entrant", &*one.name)])
}

/// What went wrong for an entrant, each with its count.
fn faults(one: &Standing) -> String {
    let figures = &one.figures;
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
    faults.join(", ")
}

fn crosstable(standings: &Standings, tournament: &str, colours: &Colours) -> Vec<CrossLine> {
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
                "{} of the pairs, 95 % interval: {}",
                percent(split.pair_score),
                interval(
                    split.pair_score_low,
                    split.pair_score_high,
                    split.won + split.drawn + split.lost
                )
            ),
        })
    };
    let lines = entrants.iter().enumerate().map(|(place, one)| CrossLine {
        matches: matches_of(tournament, one),
        place: place + 1,
        colour: colours.class(&one.name),
        name: one.marked(),
        cells: (0..entrants.len())
            .map(|other| cell(one, place, other))
            .collect(),
    });
    lines.collect()
}

fn schedule(rounds: Vec<RoundShown>, game: &str, colours: &Colours) -> Vec<Round> {
    let mut before = String::new();
    let shown = rounds.into_iter().map(|shown| {
        let mut round = round(shown, game, colours);
        match round.why == before {
            true => round.why.clear(),
            false => before.clone_from(&round.why),
        }
        round
    });
    shown.collect()
}

fn round(round: RoundShown, game: &str, colours: &Colours) -> Round {
    let tables = (1..).zip(&round.tables);
    let ended = round.matches.iter().map(|played| played.table as usize + 1);
    let ended: HashSet<usize> = ended.collect();
    let waiting = tables.filter(|(table, _)| !ended.contains(table));
    Round {
        number: round.round + 1,
        decided: when(round.decided),
        why: round.why.as_str().unwrap_or_default().to_owned(),
        waiting: waiting
            .map(|(table, names)| (table, names.join(" · ")))
            .collect(),
        byes: round.byes.join(", "),
        folded: match round.matches.len() {
            ..=SHOWN_MAX => String::new(),
            many => counted(many, "match"),
        },
        matches: round
            .matches
            .into_iter()
            .map(|match_| played(match_, game, colours))
            .collect(),
    }
}

fn played(played: PlayedShown, game: &str, colours: &Colours) -> Played {
    let (scores, cause) = (games::scores(game), played.cause);
    let outcome = Outcome {
        cause,
        scores: played.scores.iter().copied().collect(),
    };
    let shares = games::find(game).map(|kit| (kit.card().win_shares)(&outcome));
    let shares = shares.unwrap_or_else(|| outcome.win_shares());
    // Where all have the same share, nobody has won.
    let won = |seat: usize| {
        let own = shares.values().get(seat).copied().unwrap_or_default();
        own > 0.0 && shares.values().contains(&0.0)
    };
    let seats = played.entrants.into_iter().enumerate();
    let seats = seats.map(|(seat, name)| PlayedSeat {
        colour: colours.class(&name),
        name,
        score: played
            .scores
            .get(seat)
            .map_or_else(String::new, |score| scores.short(*score)),
        won: won(seat),
    });
    Played {
        seats: seats.collect(),
        id: played.match_id,
        table: played.table + 1,
        fault: match cause {
            Cause::Normal => String::new(),
            cause => view::cause(cause),
        },
    }
}
