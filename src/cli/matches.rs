//! `drover match list|show|export|replay|explain|verify|import|name`.

use super::common::{Common, notify};
use super::match_file::{self, MatchFile, Unpacked, is_file};
use super::match_filters::MatchFilters;
use super::output::{Format, short_time, spaced, whole_time, write_rows};
use super::remote::{Reached, Remote, Target};
use super::seat_arg::{SeatArg, shown};
use super::store_arg::StoreArg;
use super::usage::{UsageError, refuse};
use super::{database, explain, happened, replay, scenes};
use crate::api;
use crate::cli::database::found;
use crate::history::GameRules;
use crate::history::{self, Filter, PageAt, SessionRow};
use crate::plain::plain_line;
use crate::replay::Event;
use crate::sheet::{Column, Grid};
use crate::store::{MatchRow, Place, SeatRow, Settings, Store};
use crate::tournament::Deal;
use anyhow::{Context as _, bail};
use games::{Part, Participation};
use serde_json::{Value, json};
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    store: StoreArg,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// List matches, newest first.
    List(ListArgs),
    /// Show one match: seats, result, sessions.
    Show {
        /// The match, or a file that `drover match export --format json` has written.
        id: String,
        /// Also what happened, each event once.
        #[arg(long)]
        facts: bool,
        /// The output format.
        #[arg(long, value_enum, default_value_t)]
        output: Format,
    },
    /// Write a match's transcripts, or its replay to be looked at.
    Export(ExportArgs),
    /// Print a match's transcripts in order, in readable form.
    Replay {
        /// The match.
        id: String,
        /// Only this seat, from 1.
        #[arg(long)]
        seat: Option<SeatArg>,
    },
    /// Say why a bot decided as it did: it is led back to the decision and thinks again. Without --entry: list
    /// the seat's decisions.
    Explain(explain::Args),
    /// Replay a match's transcripts and compare with what is stored.
    Verify {
        /// The match, or a file that `drover match export --format json` has written.
        id: String,
    },
    /// Store a match from such a file, as one that was imported: it is over, fills no place in a tournament, and nothing
    /// is learnt from it.
    Import {
        /// The file.
        file: PathBuf,
    },
    /// Name the player on a seat, so that what was learnt in the match counts for that name; goes through the
    /// daemon if it is running.
    Name {
        /// The match.
        id: String,
        /// The seat, from 1.
        seat: SeatArg,
        /// The player's name.
        name: String,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    /// The match.
    id: String,
    /// ndjson: one entry per line. json: the match with its sessions, entries and facts, which `drover match import` reads
    /// back.
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["html", "svg"])]
    format: Export,
    /// Write the replay as one HTML file that needs nothing else; -: to standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "svg")]
    html: Option<PathBuf>,
    /// Print the picture of a turn as SVG.
    #[arg(long)]
    svg: bool,
    /// The turn of --svg, from 1; 0: before the first.
    #[arg(long, value_name = "N", requires = "svg", default_value_t)]
    turn: u32,
    /// What this seat received, from 1, instead of everything, for --html and --svg.
    #[arg(long, value_name = "N", conflicts_with = "format")]
    seat: Option<SeatArg>,
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    filters: MatchFilters,
    /// Only running matches.
    #[arg(long)]
    live: bool,
    /// The maximum number of rows.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Where the page begins: `next` of the page before.
    #[arg(long, value_name = "ID")]
    cursor: Option<String>,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum, Default)]
pub(super) enum Export {
    #[default]
    Ndjson,
    Json,
}

/// The mode of a file for its owner alone.
const PRIVATE: u32 = 0o600;

pub(super) async fn run(common: &Common, args: &Args) -> anyhow::Result<ExitCode> {
    let config = common.load(&args.store.flags())?.config;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let code = match &args.verb {
        Verb::Name {
            id,
            seat,
            name,
            remote,
        } => {
            let seat = match remote.target(common, &args.store).await? {
                Target::Here(store) => name_seat(store, id, *seat, name).await?,
                Target::There(daemon) => ask_daemon(&daemon, id, *seat, name)?,
            };
            writeln!(out, "seat {} of {id} is {name}", shown(seat))?;
            ExitCode::SUCCESS
        }
        Verb::Verify { id } => match Unpacked::read(id).await? {
            Some(file) => file.verify(&mut out).await?,
            None => database::verify(config.store.location(), Some(id), &mut out).await?,
        },
        Verb::Show { id, facts, output } if is_file(id) => {
            let file = Unpacked::read(id).await?;
            let file = file.context("the file is there")?;
            let shown = show(&file.store, &file.id, *facts, *output, &mut out).await;
            file.store.close().await;
            shown?;
            ExitCode::SUCCESS
        }
        Verb::Import { file } => {
            let file = MatchFile::read(file)?;
            let settings = Settings::configured(&config.store, GameRules::all());
            let store = Store::open(&settings).await?;
            let stored = file.store(&store, true).await;
            store.close().await;
            stored?;
            writeln!(out, "match {} is imported", file.id())?;
            ExitCode::SUCCESS
        }
        reading => {
            let store = Store::open_readonly(config.store.location(), GameRules::all()).await?;
            read(&store, reading, &mut out).await?;
            store.close().await;
            ExitCode::SUCCESS
        }
    };
    out.flush()?;
    Ok(code)
}

async fn read(store: &Store, verb: &Verb, out: &mut impl Write) -> anyhow::Result<()> {
    match verb {
        Verb::List(args) => list(store, args, out).await,
        Verb::Show { id, facts, output } => show(store, id, *facts, *output, out).await,
        Verb::Export(args) => export(store, args, out).await,
        Verb::Replay { id, seat } => {
            let row = found(store, id).await?;
            let entries = history::entries(
                store.reader(),
                &history::contents(store.reader(), id).await?,
            )
            .await?;
            let seat = seat.map(|seat| own_seat(seat, &row)).transpose()?;
            Ok(replay::write(out, &row, &entries, seat)?)
        }
        Verb::Explain(args) => explain::run(store, args, out).await,
        Verb::Verify { .. } | Verb::Name { .. } | Verb::Import { .. } => {
            bail!("this verb is not read-only")
        }
    }
}

async fn list(store: &Store, args: &ListArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let filter = Filter {
        live: args.live.then_some(true),
        ..args.filters.0.clone()
    };
    let page = history::matches(
        store.reader(),
        &filter,
        &PageAt {
            after: args.cursor.clone(),
            limit: args.limit,
        },
    )
    .await?;
    if page.items.is_empty()
        && page.next.is_none()
        && let Some(unknown) = api::unknown(store, &filter).await?
    {
        return refuse(format!("--{}", unknown.into_detail()));
    }
    let columns = match args.output {
        Format::Table => &SHOWN[..],
        _ => &COLUMNS,
    };
    let Grid { headings, rows } = Grid::new(columns, &page.items);
    write_rows(out, args.output, &headings, &rows, &page)?;
    match (args.output, &page.next) {
        (Format::Table, Some(next)) => writeln!(out, "more: --cursor {next}")?,
        (Format::Table, None) if page.items.is_empty() => {
            notify(&format!(
                "there is no match to list in {}",
                store.location()
            ));
        }
        _ => {}
    }
    Ok(())
}

/// For people.
const SHOWN: [Column<MatchRow>; 5] = [
    ("id", |row| row.id.clone()),
    ("began (UTC)", |row| short_time(row.started_us)),
    ("game", |row| row.game.clone()),
    ("players, scores (* won)", |row| players(row)),
    ("end", |row| ending(row)),
];

/// Who played, with what they scored, and how who did not play to the end; who won is marked.
fn players(row: &MatchRow) -> String {
    let (fair, scores) = (
        1.0 / row.seats.len().max(1) as f64,
        games::scores(&row.game),
    );
    let player = |seat: &SeatRow| {
        let name = shown_as(seat);
        let name = name.strip_prefix("builtin:").unwrap_or(name);
        let won = seat.win_share.is_some_and(|share| share > fair);
        let mark = if won { "*" } else { "" };
        let score = seat.score.map(|score| format!(" {}", scores.short(score)));
        let part = fallen(seat).map(|part| format!(" ({})", part.words()));
        format!(
            "{name}{mark}{}{}",
            score.unwrap_or_default(),
            part.unwrap_or_default()
        )
    };
    let players: Vec<String> = row.seats.iter().map(player).collect();
    players.join(", ")
}

/// How it ended.
fn ending(row: &MatchRow) -> String {
    let open = if row.ended_us.is_none() { "live" } else { "" };
    row.cause.map_or(open, |cause| cause.word()).to_owned()
}

const COLUMNS: [Column<MatchRow>; 10] = [
    ("id", |row| row.id.clone()),
    ("game", |row| row.game.clone()),
    ("started", |row| replay::time(row.started_us)),
    ("ended", |row| {
        row.ended_us.map_or_else(|| "live".to_owned(), replay::time)
    }),
    ("cause", |row| {
        row.cause
            .map_or_else(String::new, |cause| cause.word().to_owned())
    }),
    ("referee", |row| row.referee.clone()),
    ("market", |row| row.market.to_string()),
    ("seats", |row| spaced(row.seats.iter().map(shown_as))),
    ("scores", |row| spaced(&row.scores)),
    ("participation", |row| {
        let parts = row.seats.iter().filter_map(|seat| {
            let part = fallen(seat)?;
            Some(format!("seat {} {}", seat.seat, part.words()))
        });
        parts.collect::<Vec<_>>().join("; ")
    }),
];

fn shown_as(seat: &SeatRow) -> &str {
    match (seat.known_as(), seat.spec.as_str()) {
        (Some(name), _) => name,
        (None, "") => "?",
        (None, spec) => spec,
    }
}

/// How this seat took part, if its player did not play to the end.
fn fallen(seat: &SeatRow) -> Option<&Participation> {
    let part = seat.participation.as_ref();
    part.filter(|part| part.how != Part::Played)
}

/// A seat that the user names, as it is stored.
fn own_seat(seat: SeatArg, row: &MatchRow) -> Result<u8, UsageError> {
    seat.among(&row.id, row.seats.iter().map(|row| row.seat))
}

async fn show(
    store: &Store,
    id: &str,
    facts: bool,
    output: Format,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let row = found(store, id).await?;
    let sessions = history::sessions_of(store.reader(), id).await?;
    if facts && output == Format::Csv {
        return refuse("--facts takes --output table or json");
    }
    let events = match facts {
        true => happened::read(store, &row).await?,
        false => Vec::new(),
    };
    if output == Format::Table {
        write_head(&row, &sessions, out)?;
    }
    let mut whole = json!({ "match": row, "sessions": sessions });
    if facts {
        whole["happened"] = happened::data(&events).into();
    }
    let number = match output {
        Format::Table => NUMBER_SHOWN,
        _ => NUMBER,
    };
    let seats = Grid::new(&[number], &row.seats).and(Grid::new(&SEATS, &row.seats));
    let Grid { headings, mut rows } = seats;
    if let (Format::Table, Some(at)) = (output, headings.iter().position(|name| *name == SCORE)) {
        let scores = games::scores(&row.game);
        for (cells, seat) in rows.iter_mut().zip(&row.seats) {
            if let (Some(cell), Some(score)) = (cells.get_mut(at), seat.score) {
                *cell = scores.full(score);
            }
        }
    }
    write_rows(out, output, &headings, &rows, &whole)?;
    if output == Format::Table && facts {
        let Grid { headings, rows } = Grid::new(&EVENTS, &events);
        writeln!(out)?;
        write_rows(out, output, &headings, &rows, &())?;
    }
    Ok(())
}

/// Something that happened.
const EVENTS: [Column<Event>; 3] = [
    ("entry", |event| {
        event
            .first
            .map_or_else(String::new, |entry| entry.0.to_string())
    }),
    ("kind", |event| event.row.kind.replace('_', " ")),
    ("what happened", |event| plain_line(&event.shown.sentence)),
];

/// The column that people read in the game's words.
const SCORE: &str = "score";

/// What there is to say of a match before its seats.
fn write_head(
    row: &MatchRow,
    sessions: &[SessionRow],
    out: &mut impl Write,
) -> std::io::Result<()> {
    let ended = row.ended_us;
    let ended = ended.map_or_else(|| "not yet".to_owned(), whole_time);
    let started = whole_time(row.started_us);
    writeln!(out, "{}", replay::named(row))?;
    writeln!(out, "started {started}, ended {ended}")?;
    if let Some(place) = &row.tournament {
        let Place {
            id,
            name,
            round,
            table,
            number,
        } = place;
        // Files of matches from before have the id alone.
        let named = match plain_line(name) {
            name if name.is_empty() => id.clone(),
            name => format!("{name} ({id})"),
        };
        writeln!(
            out,
            "tournament {named}, round {round}, table {table}, match {number}"
        )?;
    }
    if let Some(cause) = row.cause {
        let but = match row.seats.iter().any(|seat| fallen(seat).is_some()) {
            true => ", but not all played to the end",
            false => "",
        };
        let line = format!("cause {}{but} {}", cause.word(), plain_line(&row.detail));
        writeln!(out, "{}", line.trim_end())?;
    }
    for seat in &row.seats {
        if let Some(part) = fallen(seat) {
            let (seat, player, words) = (shown(seat.seat), shown_as(seat), part.words());
            let line = format!("seat {seat} ({player}) {words}: {}", part.detail);
            writeln!(out, "{}", plain_line(line.trim_end_matches(": ")))?;
        }
    }
    let ids = spaced(sessions.iter().map(|session| session.id.0));
    writeln!(out, "sessions {ids}\n")
}

/// A seat's number, as it is stored.
const NUMBER: Column<SeatRow> = ("seat", |seat| seat.seat.to_string());
/// The same for people.
const NUMBER_SHOWN: Column<SeatRow> = ("seat", |seat| shown(seat.seat).to_string());
/// What else there is of it.
const SEATS: [Column<SeatRow>; 7] = [
    ("spec", |seat| seat.spec.clone()),
    ("name", |seat| seat.name.clone().unwrap_or_default()),
    ("entrant", |seat| seat.entrant.clone().unwrap_or_default()),
    (SCORE, |seat| {
        seat.score
            .map_or_else(String::new, |score| score.to_string())
    }),
    ("win_share", |seat| {
        seat.win_share
            .map_or_else(String::new, |share| format!("{share:.2}"))
    }),
    ("participation", |seat| {
        seat.participation
            .as_ref()
            .map_or_else(String::new, Participation::words)
    }),
    ("fallback", |seat| {
        let part = seat.participation.as_ref();
        let fallback =
            part.and_then(|part| Some(format!("{} of {}", part.fallback?, part.decisions?)));
        fallback.unwrap_or_default()
    }),
];

async fn export(store: &Store, args: &ExportArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let id = args.id.as_str();
    let row = found(store, id).await?;
    if args.seat.is_some() && args.html.is_none() && !args.svg {
        return refuse("--seat takes --html or --svg");
    }
    let seat = args.seat.map(|seat| own_seat(seat, &row)).transpose()?;
    if let Some(path) = &args.html {
        let deal = Deal::read(store, &row).await?;
        let footage = scenes::footage(store, &row, seat).await?;
        if path.as_os_str() == "-" {
            return scenes::html(out, &row, deal.as_ref(), &footage);
        }
        let cannot = || format!("cannot write {}", path.display());
        let file = create(path, row.ended_us.is_none()).with_context(cannot)?;
        let mut file = std::io::BufWriter::new(file);
        scenes::html(&mut file, &row, deal.as_ref(), &footage)?;
        return file.flush().with_context(cannot);
    }
    if args.svg {
        let footage = scenes::footage(store, &row, seat).await?;
        return scenes::svg(out, &footage, args.turn);
    }
    let contents = history::contents(store.reader(), id).await?;
    let entries = history::entries(store.reader(), &contents).await?;
    match args.format {
        Export::Ndjson => {
            for entry in &entries {
                serde_json::to_writer(&mut *out, entry)?;
                writeln!(out)?;
            }
        }
        Export::Json => {
            let facts = history::facts(store.reader(), id).await?;
            let stored = match_file::Stored {
                row: &row,
                contents: &contents,
                entries: &entries,
                facts: &facts,
            };
            let whole = stored.written(store).await?;
            serde_json::to_writer_pretty(&mut *out, &whole)?;
            writeln!(out)?;
        }
    }
    Ok(())
}

/// A new file; of a running match, which has hidden hands in it, for its owner alone.
fn create(path: &Path, live: bool) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    if !live {
        return options.open(path);
    }
    let file = options.mode(PRIVATE).open(path)?;
    // One that was there has kept its mode.
    if file.metadata()?.is_file() {
        file.set_permissions(Permissions::from_mode(PRIVATE))?;
    }
    Ok(file)
}

/// Names the player of a seat in the database; the seat as it is stored.
async fn name_seat(store: Store, id: &str, seat: SeatArg, name: &str) -> anyhow::Result<u8> {
    let named = async {
        let seat = own_seat(seat, &found(&store, id).await?)?;
        store.rename_seat(id, seat, Some(name)).await?;
        Ok::<_, anyhow::Error>(seat)
    };
    let named = named.await;
    store.close().await;
    named
}

/// The daemon holds the database, so it is asked to write the name; the seat as it is stored.
fn ask_daemon(daemon: &Reached, id: &str, seat: SeatArg, name: &str) -> anyhow::Result<u8> {
    let path = format!("/api/v1/matches/{id}");
    let ask = |method: &str, path: &str, body: &str| {
        daemon.ask(method, path, body).context(
            "the database is in use by another process, and the daemon could not do it instead",
        )
    };
    let row: Value = serde_json::from_str(&ask("GET", &path, "")?)?;
    let seats = row["seats"].as_array().into_iter().flatten();
    let seat = seat.among(
        id,
        seats.filter_map(|row| row["seat"].as_u64()?.try_into().ok()),
    )?;
    let body = json!({ "name": name }).to_string();
    ask("PUT", &format!("{path}/seats/{seat}"), &body)?;
    Ok(seat)
}

#[cfg(test)]
mod tests {
    use super::create;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_page_of_a_running_match_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.html");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        create(&path, true).unwrap();
        assert_eq!(mode(), 0o600);
        // One that others can read already keeps its mode only for a match that has ended.
        for (live, expected) in [(false, 0o644), (true, 0o600)] {
            fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
            create(&path, live).unwrap();
            assert_eq!(mode(), expected);
        }
    }
}
