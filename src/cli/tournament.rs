//! `drover tournament`: whole tournaments, and what is stored of them.

use super::common::{Common, notify, on_all_cores};
use super::output::{Format, laid_out, short_time, width};
use super::tournament_run::{self, ResumeArgs, RunArgs};
use super::usage::refuse;
use crate::cli::tournament_database::{Database, drawn_from, tournaments};
use crate::clock::time;
use crate::history::{self, ALL_ROUNDS, TournamentMatch};
use crate::link::program::no_isolation;
use crate::sheet::Layout;
use crate::store::{Store, TournamentRow};
use crate::tournament::StoredTournament;
use crate::tournament::standings::{League, Standings, of_decks, pgn};
use clap::{Args, Subcommand, ValueEnum};
use games::Cause;
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use std::io::Write as _;
use std::process::ExitCode;

/// The tournament verbs.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Verb {
    /// Play the tournaments of a file. Ctrl-C stops them: what has ended is stored, and `resume` plays the rest.
    ///
    /// The same file and seed give the same results for bots that play by nodes. With models = "learn" in the file,
    /// built-in bots know in each round what the rounds before taught: the whole run can be repeated, a single match
    /// only after those rounds.
    Run(RunArgs),
    /// Go on with what was left of a file's tournaments: no match is lost or played twice.
    Resume(ResumeArgs),
    /// List the tournaments of a database, newest first.
    List(Database),
    /// Show a tournament's standings.
    Standings(ShowArgs),
    /// Show the result of each pair of entrants.
    Crosstable(ShowArgs),
    /// Show the rounds: who met whom, and how that was decided.
    Schedule(ShowArgs),
    /// Show how ratings moved over the rounds.
    History(ShowArgs),
    /// Write a tournament as JSON, CSV, PGN or one page of HTML.
    Export(ExportArgs),
    /// Show one table over the tournaments of several games.
    League(LeagueArgs),
    /// Say how far entrants that are programs can be isolated from each other on this machine.
    Check,
}

/// Which tournament is shown.
#[derive(Clone, Debug, Args)]
pub(super) struct ShowArgs {
    /// The tournament's number, or how it begins; without it, the newest.
    id: Option<String>,
    #[command(flatten)]
    database: Database,
}

/// What is written of a tournament.
#[derive(Clone, Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    show: ShowArgs,
    /// The format.
    #[arg(long, visible_alias = "format", value_enum, default_value_t = ExportFormat::Json)]
    output: ExportFormat,
}

/// The formats of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// All of it, in full precision, with its matches.
    Json,
    /// The standings.
    Csv,
    /// The result of each pair, as CSV.
    Crosstable,
    /// Each entrant on each seat, as CSV.
    Seats,
    /// The ratings after each round, as CSV.
    History,
    /// One line a match, by their numbers: what `drover rate` reads, and what two runs can be compared by.
    Lines,
    /// One game a pair result, for rating programs.
    Pgn,
    /// One page that needs nothing else.
    Html,
}

/// Which tournaments make a league.
#[derive(Clone, Debug, Args)]
pub(super) struct LeagueArgs {
    /// Their numbers, or how they begin; without any, the newest of each game.
    ids: Vec<String>,
    #[command(flatten)]
    database: Database,
    /// The output format: a table, or JSON.
    #[arg(long, visible_alias = "format", value_enum, default_value_t)]
    output: Format,
}

/// Runs a verb.
pub(super) fn run(common: &Common, verb: Verb) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout();
    let shown: anyhow::Result<()> = match verb {
        Verb::Run(args) => return on_all_cores(tournament_run::run(common, args)),
        Verb::Resume(args) => return on_all_cores(tournament_run::resume(common, args)),
        Verb::List(database) => on_all_cores(list(database)),
        Verb::Standings(args) => on_all_cores(async {
            let stored = args.read().await?;
            let message = drawn_from(&stored.row.id, &stored.row.setup, stored.over().is_some());
            Ok(write!(
                out,
                "{}{message}",
                stored.standings()?.table(width())
            )?)
        }),
        Verb::Crosstable(args) => on_all_cores(async {
            let standings = args.read().await?.standings()?;
            Ok(write!(out, "{}", standings.crosstable(width()))?)
        }),
        Verb::Schedule(args) => on_all_cores(schedule(args)),
        Verb::Export(args) => on_all_cores(export(args)),
        Verb::History(args) => on_all_cores(async {
            let history = args.read().await?.history()?;
            Ok(write!(out, "{}", history.table(width()))?)
        }),
        Verb::League(args) => on_all_cores(league(args)),
        Verb::Check => {
            let text = match no_isolation() {
                None => "each program gets a user, process and mount namespace of its own, and an IPC namespace where \
                         the system allows it: it cannot see or signal the processes of other entrants"
                    .to_owned(),
                Some(why) => format!(
                    "none: a program can end the processes of other entrants ({why}); let the system create user \
                     namespaces"
                ),
            };
            Ok(writeln!(out, "isolation: {text}")?)
        }
    };
    shown.map(|()| ExitCode::SUCCESS)
}

impl ShowArgs {
    async fn read(&self) -> anyhow::Result<StoredTournament> {
        let store = self.database.open().await?;
        let found = find(&store, self.id.as_deref()).await?;
        let stored = StoredTournament::read(&store, found).await;
        store.close().await;
        stored
    }
}

/// The tournament whose number begins so; the newest without any.
async fn find(store: &Store, id: Option<&str>) -> anyhow::Result<TournamentRow> {
    let mut all = tournaments(store).await?.into_iter();
    let Some(id) = id else {
        return match all.next() {
            Some(newest) => Ok(newest),
            None => anyhow::bail!("there is no tournament in {}", store.location()),
        };
    };
    let mut fitting = all.filter(|found| found.id.starts_with(&id.to_uppercase()));
    match (fitting.next(), fitting.next()) {
        (Some(found), None) => Ok(found),
        (Some(_), Some(_)) => refuse(format!(
            "more than one tournament's number begins with {id}"
        )),
        (None, _) => refuse(format!(
            "no tournament's number begins with {id}; see drover tournament list"
        )),
    }
}

async fn list(database: Database) -> anyhow::Result<()> {
    let store = database.open().await?;
    let all = tournaments(&store).await;
    store.close().await;
    let rows: Vec<_> = all?
        .into_iter()
        .map(|row| {
            vec![
                row.id,
                short_time(row.started_us),
                row.name,
                row.game,
                row.entrants
                    .iter()
                    .filter(|entrant| !entrant.house)
                    .count()
                    .to_string(),
                row.rounds.to_string(),
                row.matches.to_string(),
                if row.ended_us.is_some() {
                    "finished"
                } else {
                    "unfinished"
                }
                .to_owned(),
                row.ended_why,
            ]
        })
        .collect();
    let headings = [
        "id",
        "began (UTC)",
        "name",
        "game",
        "entrants",
        "rounds",
        "matches",
        "state",
        "why",
    ];
    if rows.is_empty() {
        notify(&format!("{} has no tournament", database.location()));
    }
    let layout = Layout {
        right: &[4, 5, 6],
        // Standings show the first; the others seldom distinguish two.
        spare: &[8, 5, 4, 1],
        ..Layout::default()
    };
    Ok(write!(
        std::io::stdout(),
        "{}",
        laid_out(&headings, &rows, &layout)
    )?)
}

async fn league(args: LeagueArgs) -> anyhow::Result<()> {
    let store = args.database.open().await?;
    let read = leagued(&store, &args.ids).await;
    store.close().await;
    let games = read?;
    let games: Vec<_> = games
        .iter()
        .map(|(game, standings)| (game.clone(), standings))
        .collect();
    let league = League::new(&games);
    if league.entrants.is_empty() {
        match league.games.as_slice() {
            [] => anyhow::bail!("there is no tournament in {}", args.database.location()),
            games => anyhow::bail!(
                "a league needs an entrant who plays in two games; there are tournaments of {}",
                games.join(", ")
            ),
        }
    }
    let text = match args.output {
        Format::Json => serde_json::to_string_pretty(&league)? + "\n",
        _ => league.table(width()),
    };
    Ok(write!(std::io::stdout(), "{text}")?)
}

/// The standings of these tournaments; without any, of the newest of each game.
async fn leagued(store: &Store, ids: &[String]) -> anyhow::Result<Vec<(String, Standings)>> {
    let mut found = Vec::new();
    for id in ids {
        found.push(find(store, Some(id)).await?);
    }
    if ids.is_empty() {
        for row in tournaments(store).await? {
            if !found
                .iter()
                .any(|other: &TournamentRow| other.game == row.game)
            {
                found.push(row);
            }
        }
        found.reverse();
    }
    let mut games = Vec::new();
    for row in found {
        let stored = StoredTournament::read(store, row).await?;
        games.push((stored.row.game.clone(), stored.standings()?));
    }
    Ok(games)
}

async fn schedule(args: ShowArgs) -> anyhow::Result<()> {
    let stored = args.read().await?;
    let mut out = std::io::stdout();
    let names = |table: &[usize]| {
        let names = table
            .iter()
            .filter_map(|entrant| stored.entrants.get(*entrant));
        names
            .map(|entrant| entrant.name.clone())
            .collect::<Vec<_>>()
            .join(", ")
    };
    for round in &stored.rounds {
        writeln!(out, "round {}, {}", round.number + 1, round.why)?;
        for (at, table) in round.tables.iter().enumerate() {
            writeln!(out, "  table {}: {}", at + 1, names(table))?;
        }
        if !round.byes.is_empty() {
            writeln!(out, "  sit out: {}", names(&round.byes))?;
        }
    }
    if let Some(why) = stored.over() {
        writeln!(out, "over: {why}")?;
    }
    Ok(())
}

async fn export(args: ExportArgs) -> anyhow::Result<()> {
    let store = args.show.database.open().await?;
    let read = exported(&store, &args).await;
    store.close().await;
    let (stored, matches) = read?;
    let title = format!("{}, {}", stored.row.name, stored.row.game);
    let text = match args.output {
        ExportFormat::Lines => lines(&stored)?,
        ExportFormat::Json => whole(&stored, matches)?,
        ExportFormat::Csv => stored.standings()?.csv()?,
        ExportFormat::Crosstable => stored.standings()?.crosstable_csv()?,
        ExportFormat::Seats => stored.standings()?.seats_csv()?,
        ExportFormat::History => stored.history()?.csv()?,
        ExportFormat::Pgn => {
            let numbered = matches.iter().map(|played| (played.number, played));
            let numbered: HashMap<u64, &TournamentMatch> = numbered.collect();
            pgn(&title, &stored.entrants, &stored.games, |number| {
                let played = numbered.get(&number)?;
                Some((played.match_id.clone(), played.started_us))
            })
        }
        ExportFormat::Html => {
            let drawn = stored.drawn();
            let (standings, history) = (stored.standings()?, stored.history()?);
            standings.html(&title, &history, drawn.as_ref())?
        }
    };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// The tournament, and its matches by their numbers.
async fn exported(
    store: &Store,
    args: &ExportArgs,
) -> anyhow::Result<(StoredTournament, Vec<TournamentMatch>)> {
    let row = find(store, args.show.id.as_deref()).await?;
    let matches = history::tournament_matches(store.reader(), &row.id, ALL_ROUNDS).await?;
    Ok((StoredTournament::read(store, row).await?, matches))
}

/// The standings, what was played, by which versions, and every match.
fn whole(stored: &StoredTournament, matches: Vec<TournamentMatch>) -> anyhow::Result<String> {
    let row = &stored.row;
    let mut whole = serde_json::to_value(stored.standings()?)?;
    let drawn = stored.drawn();
    whole["tournament"] = json!({
        "id": row.id,
        "name": row.name,
        "game": row.game,
        "started": time(row.started_us),
        "ended": row.ended_us.map(time),
        "drover": env!("CARGO_PKG_VERSION"),
        "commitment": drawn.as_ref().map(|drawn| &drawn.commitment),
        // Until it is over, a deck may be played again.
        "secret": drawn.as_ref().and_then(|drawn| drawn.secret.as_ref()),
    });
    let over = stored.over().is_some();
    let shown = matches.into_iter().map(|played| {
        json!({
            "id": played.match_id,
            "number": played.number,
            "round": played.round,
            "table": played.table,
            // Until then a deck may be played again.
            "seed": over.then_some(played.seed),
            "started": time(played.started_us),
            "ended": time(played.ended_us),
            "entrants": played.entrants,
            "cause": played.cause,
            "blame": played.blame,
            "detail": played.detail,
            "scores": played.scores,
            "participation": played.participation,
        })
    });
    whole["matches"] = shown.collect();
    Ok(serde_json::to_string_pretty(&whole)?)
}

/// Every match as a line of JSON, without what differs between runs of the same file.
fn lines(stored: &StoredTournament) -> anyhow::Result<String> {
    let mut text = String::new();
    for (deck, played) in of_decks(&stored.games) {
        let counted = &played.counted;
        let entrants = counted
            .table
            .iter()
            .filter_map(|entrant| stored.entrants.get(*entrant));
        let mut line = json!({
            "number": played.number,
            "round": played.round,
            "table": format!("{}/{}/{deck}", played.round, played.table),
            "game": stored.row.game,
            "seats": entrants.map(|entrant| &entrant.name).collect::<Vec<_>>(),
            "cause": counted.outcome.cause,
            "scores": counted.outcome.scores.values(),
        });
        let teams: BTreeSet<&u8> = counted.teams.iter().collect();
        if teams.len() < counted.teams.len() {
            // Mates have no results against each other.
            line["teams"] = json!(counted.teams);
        }
        // Given up for all, these alone have results; otherwise those are last whose results are not their own.
        let given_up = counted.outcome.scores.is_empty();
        let faults = counted.faults.iter();
        let faults = faults.filter(|(_, cause)| given_up || *cause == Cause::NotPlayed);
        let faults: Vec<u8> = faults.map(|(seat, _)| seat.0).collect();
        if given_up || !faults.is_empty() {
            line["faults"] = faults.into();
        }
        text.push_str(&serde_json::to_string(&line)?);
        text.push('\n');
    }
    Ok(text)
}
