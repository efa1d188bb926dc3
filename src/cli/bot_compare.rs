//! `drover bot compare`: what a bot would have played in stored sessions.

use super::common::{Common, game, notify};
use super::explain::on_one_line;
use super::game_arg::GameName;
use super::output::{Format, table, write_rows};
use super::progress::Lines;
use super::seat_arg::shown_or_unknown;
use super::stopping::{STOPPED, on_signal};
use super::store_arg::StoreArg;
use super::usage::{UsageError, refuse};
use super::users_bots::{self, OnShelf};
use crate::api;
use crate::config::{Config, Flags};
use crate::history::GameRules;
use crate::plain::plain;
use crate::replay::{Agreement, Candidate, Comparing, Comparison, Differs, times_ms};
use crate::store::Store;
use anyhow::{Context as _, bail};
use askama::Template;
use games::Kit;
use games::neutral::BUILT_IN;
use games::text::counted;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Asks a bot for every decision of stored sessions, and shows where it would have played something else.
///
/// Each session is replayed as it went, whatever the bot answers, and the answers are not stored. A daemon may run at
/// the same time. Ctrl-C ends early with the sessions compared so far.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Who is asked: the folder of a bot with its bot.toml, bot:NAME or bot:NAME@VERSION from the shelf, or builtin:NAME.
    new: String,
    /// Whose sessions: a built-in bot's, or bot:NAME or bot:NAME@VERSION; by default every bot's.
    #[arg(long, value_name = "OLD")]
    bot: Option<String>,
    /// The game; by default every game that the bot plays.
    #[arg(long, value_parser = GameName::ALL)]
    game: Option<String>,
    /// Only sessions that began then or later, such as 2026-01-31T12:00:00Z.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// How many sessions of each game at most, newest first.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    #[command(flatten)]
    store: StoreArg,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
    /// Also write a self-contained page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Who is asked, and where it is kept meanwhile if it is not on the shelf.
struct New {
    candidate: Candidate,
    games: Vec<&'static dyn Kit>,
    _place: Option<TempDir>,
}

pub(super) async fn run(
    common: &Common,
    args: &Args,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let config = common.load(&Flags::new())?.config;
    let given = [("bot", &args.bot), ("since", &args.since)].into_iter();
    let given = given.filter_map(|(name, value)| Some((name, value.clone()?)));
    let filter = api::match_filter(given)
        .map_err(|problem| UsageError(format!("--{}", problem.detail())))?;
    let location = common.load(&args.store.flags())?.config.store.location();
    let store = Store::open_readonly(location.clone(), GameRules::all()).await?;
    if let Some(unknown) = api::unknown(&store, &filter).await? {
        return refuse(format!("--{}", unknown.into_detail()));
    }
    let stop = on_signal();
    let new = New::find(args, &config, &stop)?;
    let (mut all, mut lines) = (Vec::new(), Lines::default());
    for kit in &new.games {
        let game = kit.card().name;
        let ceiling = config.thinking.budget_ms_by_game.get(game).copied();
        let comparing = Comparing {
            candidate: new.candidate.clone(),
            kit: *kit,
            nodes: u64::MAX,
            ceiling: ceiling.unwrap_or_else(|| kit.card().limits.budget),
            margin: config.callbacks.margin_ms,
            filter: filter.clone(),
            limit: args.limit,
            stop: stop.clone(),
        };
        let found = crate::replay::compare(&store, &comparing, |sessions| {
            lines.show(|| format!("{game}: {}", counted(sessions, "session")));
        });
        let found = found.await?;
        if found.never_ran() {
            let (bot, decisions) = (&found.candidate, found.decisions);
            let why = found.faults.join("\n");
            let decisions = counted(decisions, "decision");
            bail!("{bot} made none of its {decisions} in {game}:\n{why}");
        }
        all.push(found);
    }
    store.close().await;
    all.retain(|one| one.sessions + one.left_out > 0);
    if all.is_empty() && !stop.is_cancelled() {
        let games: Vec<&str> = new.games.iter().map(|kit| kit.card().name).collect();
        let games = games.join(", ");
        let bot = args.bot.as_deref().unwrap_or("a bot");
        bail!("{location} has no such session of {bot} that has ended; looked for: {games}");
    }
    show(&all, args, out)?;
    if stop.is_cancelled() {
        notify("stopped: these are the sessions compared so far");
        return Ok(ExitCode::from(STOPPED));
    }
    Ok(ExitCode::SUCCESS)
}

impl New {
    fn find(args: &Args, config: &Config, stop: &CancellationToken) -> anyhow::Result<Self> {
        let (text, wanted) = (&args.new, args.game.as_deref().map(game).transpose()?);
        let (candidate, place) = match text.strip_prefix(BUILT_IN) {
            Some(name) => (Candidate::Builtin(name.to_owned()), None),
            None => {
                let OnShelf {
                    launch,
                    bots,
                    place,
                } = users_bots::find(text, text, config, stop)?;
                (Candidate::Program(Arc::new(launch), bots), place)
            }
        };
        let plays = |kit: &dyn Kit| match &candidate {
            Candidate::Builtin(name) => kit.card().bots.iter().any(|card| card.name == name),
            Candidate::Program(launch, _) => launch.plays(kit.card().name),
        };
        let playing = games::ALL.iter().copied().filter(|kit| plays(*kit));
        let games =
            playing.filter(|kit| wanted.is_none_or(|wanted| wanted.card().name == kit.card().name));
        let games: Vec<_> = games.collect();
        if games.is_empty() {
            let what = wanted.map_or("any game", |kit| kit.card().name);
            return refuse(format!("{text}: it does not play {what}"));
        }
        Ok(Self {
            candidate,
            games,
            _place: place,
        })
    }
}

const HEADINGS: &str = "game sessions decisions fallbacks agreed share_% low_% high_% illegal late failed p50_ms p99_ms slowest_ms \
    played_p50_ms played_p99_ms played_slowest_ms";
/// For people: how far it agrees, then how it answered.
const AGREEMENT: [&str; 8] = [
    "game",
    "sessions",
    "decisions",
    "fallbacks",
    "agreed",
    "share %",
    "low %",
    "high %",
];
const ANSWERS: [&str; 6] = [
    "game",
    "illegal",
    "late",
    "failed",
    "ms (p50, p99, slowest)",
    "of those who played",
];
const DIFFERENCES: &str = "match seat session entry how played would_play";

fn cells(one: &Comparison) -> Vec<String> {
    let tenths = |value: f64| format!("{value:.1}");
    let whole = |counts: &[u64]| counts.iter().map(u64::to_string).collect::<Vec<_>>();
    let agreement = |Agreement { share, low, high }| [share, low, high].map(|part| part * 1e2);
    let [took, played] = [&one.took, &one.played].map(times_ms);
    let three =
        |values: Option<[f64; 3]>| values.map_or_else(Default::default, |all| all.map(tenths));
    let mut cells = vec![one.game.to_owned()];
    cells.extend(whole(&[
        one.sessions,
        one.decisions,
        one.fallbacks,
        one.agreed,
    ]));
    cells.extend::<[String; 3]>(three(one.agreement.map(agreement)));
    cells.extend(whole(&[one.illegal, one.late, one.failed]));
    cells.extend([took, played].map(three).concat());
    cells
}

/// The cells of [`AGREEMENT`] among all.
fn agreement(cells: &[String]) -> Vec<String> {
    cells.iter().take(AGREEMENT.len()).cloned().collect()
}

/// The cells of [`ANSWERS`] among all.
fn answers(cells: &[String]) -> Vec<String> {
    let after = |from: usize| cells.iter().skip(from).take(3).cloned();
    let times = |from: usize| {
        let times: Vec<String> = after(from).filter(|time| !time.is_empty()).collect();
        times.join(" ")
    };
    let first = AGREEMENT.len();
    let counts = cells.iter().take(1).cloned().chain(after(first));
    counts.chain([times(first + 3), times(first + 6)]).collect()
}

fn difference(one: &Differs) -> Vec<String> {
    let shown = |text: &Option<String>| on_one_line(text.as_deref().unwrap_or("(nothing)"));
    vec![
        one.match_id.clone(),
        shown_or_unknown(one.seat),
        one.session.0.to_string(),
        one.entry.0.to_string(),
        one.how.to_owned(),
        shown(&one.played),
        shown(&one.would_play),
    ]
}

/// A table with remarks, on a terminal as on the page.
struct Sheet {
    title: String,
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    remarks: Vec<String>,
}

/// The figures of all games, and for each game where the bot would play something else.
fn sheets(all: &[Comparison], args: &Args) -> Vec<Sheet> {
    let old = args.bot.as_deref().unwrap_or("every bot");
    let rows: Vec<Vec<String>> = all.iter().map(cells).collect();
    let mut sheets = vec![
        Sheet {
            title: format!("{} compared with {old}", args.new),
            headings: AGREEMENT.to_vec(),
            rows: rows.iter().map(|row| agreement(row)).collect(),
            remarks: all.iter().flat_map(|one| remarks(one, args)).collect(),
        },
        Sheet {
            title: "how it answered".to_owned(),
            headings: ANSWERS.to_vec(),
            rows: rows.iter().map(|row| answers(row)).collect(),
            remarks: Vec::new(),
        },
    ];
    let differing = all.iter().filter(|one| !one.differences.is_empty());
    sheets.extend(differing.map(|one| {
        Sheet {
            title: format!(
                "{}: where {} would not play the same",
                one.game, one.candidate
            ),
            headings: DIFFERENCES.split(' ').collect(),
            rows: one.differences.iter().map(difference).collect(),
            remarks: (one.differences_more > 0)
                .then(|| format!("and {} more", one.differences_more))
                .into_iter()
                .collect(),
        }
    }));
    sheets
}

/// What the figures of a game do not say.
fn remarks(one: &Comparison, args: &Args) -> Vec<String> {
    let (limit, left_out) = (args.limit, one.left_out);
    let more = format!(
        "the newest {}; there are more (--limit)",
        counted(limit, "session")
    );
    let less = format!(
        "left out, pruned or not readable: {}",
        counted(left_out, "session")
    );
    let fallbacks = format!(
        "a fallback's, not a bot's choice: {}, in neither agreed nor share",
        counted(one.fallbacks, "decision")
    );
    let own = [
        (one.more, more),
        (left_out > 0, less),
        (one.fallbacks > 0, fallbacks),
    ]
    .into_iter();
    let own = own.filter_map(|(holds, remark)| holds.then_some(remark));
    let all = own.chain(one.faults.iter().cloned());
    all.map(|remark| plain(&format!("{}: {remark}", one.game)))
        .collect()
}

/// A self-contained page.
#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    sheets: &'a [Sheet],
}

fn show(all: &[Comparison], args: &Args, out: &mut impl Write) -> anyhow::Result<()> {
    let sheets = sheets(all, args);
    if let Some(path) = &args.html {
        let page = Page { sheets: &sheets }.render()?;
        fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.output != Format::Table {
        let rows: Vec<Vec<String>> = all.iter().map(cells).collect();
        let headings: Vec<&str> = HEADINGS.split(' ').collect();
        let whole = json!({ "limit": args.limit, "games": all });
        return Ok(write_rows(out, args.output, &headings, &rows, &whole)?);
    }
    for sheet in &sheets {
        writeln!(out, "{}", plain(&sheet.title))?;
        out.write_all(table(&sheet.headings, &sheet.rows).as_bytes())?;
        for remark in &sheet.remarks {
            writeln!(out, "{remark}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
