//! `drover rate FILE`: ratings of the players of a file of results.

use super::common::{notify, read_file};
use super::output::{Format, write_rows};
use super::usage::UsageError;
use crate::sheet::{Column, Grid};
use ratings::input::Found;
use ratings::{FitError, Intervals, Parameter, Ranking, Rated, Settings};
use std::io::{self, Write};
use std::path::PathBuf;

/// The largest file read, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// Rates players by BayesElo's model, all results at once.
///
/// The file is PGN (results only), JSON lines (`{"first", "second", "share"}` or matches with `game`, `seats`,
/// `scores`, `cause`), or tab-separated: first player, second player, 2, 1 or 0, and perhaps the table. At most 1 GiB,
/// 2,000 players with names of 200 characters and 10,000,000 results are read.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The results; `-` reads standard input.
    file: PathBuf,
    /// Leave out lines and games that cannot be read, and say which and how many; without it they are an error.
    #[arg(long)]
    skip_bad: bool,
    /// The advantage of the player named first, in Elo: a number, or `fit` to estimate it.
    #[arg(long, value_name = "ELO|fit", default_value = "0", value_parser = parameter, allow_hyphen_values = true)]
    advantage: Parameter,
    /// The draw parameter, in Elo: a number, or `fit` to estimate it.
    #[arg(long, value_name = "ELO|fit", default_value = "fit", value_parser = parameter)]
    draw_elo: Parameter,
    /// Virtual draws of each player against those whom it met.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2.0,
        allow_negative_numbers = true
    )]
    prior: f64,
    /// How the 95 % intervals are computed.
    #[arg(long, value_enum, default_value_t)]
    intervals: Kind,
    /// The output format.
    #[arg(long, visible_alias = "format", value_enum, default_value_t)]
    output: Format,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Kind {
    /// From the covariance of all ratings.
    #[default]
    Covariance,
    /// From each rating's exact distribution: not symmetric.
    Exact,
    /// As if all other ratings were known.
    Alone,
}

fn parameter(text: &str) -> Result<Parameter, String> {
    match text {
        "fit" => Ok(Parameter::Fitted),
        _ => text
            .parse()
            .map(Parameter::Fixed)
            .map_err(|_| "it must be a number or `fit`".to_owned()),
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let name = args.file.display();
    let bytes = read_file(&args.file, "a file of results", FILE_BYTES_MAX)?;
    let Found {
        results,
        errors,
        notes,
    } = ratings::input::read(&bytes);
    for note in notes.sentences() {
        notify(&format!("drover: {name}, {note}"));
    }
    match errors.count {
        0 => {}
        count if args.skip_bad && !errors.full => {
            notify(&format!("drover: {name}, {errors}"));
            notify(&format!("drover: {name}: left out: {count}"));
        }
        _ if errors.full => anyhow::bail!("{name}, {errors}"),
        _ => anyhow::bail!("{name}, {errors}\n--skip-bad leaves out what cannot be read"),
    }
    if results.all().is_empty() {
        anyhow::bail!("{name} has no results");
    }
    let settings = Settings {
        advantage: args.advantage,
        draw_elo: args.draw_elo,
        prior: args.prior,
    };
    let intervals = match args.intervals {
        Kind::Covariance => Intervals::Covariance,
        Kind::Exact => Intervals::Exact,
        Kind::Alone => Intervals::Alone,
    };
    let ranking = Ranking::new(&results, &settings, intervals).map_err(|why| match why {
        FitError::Setting { .. } => anyhow::Error::new(UsageError(why.to_string())),
        FitError::Unbounded { .. } => anyhow::anyhow!("{name}: {why}"),
    })?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    write(&mut out, args.output, &ranking)?;
    Ok(out.flush()?)
}

fn write(out: &mut impl Write, format: Format, ranking: &Ranking) -> io::Result<()> {
    match format {
        Format::Table => table(out, ranking),
        Format::Json => write_rows(out, format, &[], &[], ranking),
        Format::Csv => {
            let Grid { headings, rows } = Grid::new(&COLUMNS, &ranking.players);
            write_rows(out, format, &headings, &rows, ranking)
        }
    }
}

const COLUMNS: [Column<Rated>; 13] = [
    ("component", |player| player.component.to_string()),
    ("rank", |player| player.rank.to_string()),
    ("name", |player| player.name.clone()),
    ("elo", |player| player.elo.to_string()),
    ("lower", |player| player.lower.to_string()),
    ("upper", |player| player.upper.to_string()),
    ("table_lower", |player| some(player.table_lower)),
    ("table_upper", |player| some(player.table_upper)),
    ("games", |player| player.games.to_string()),
    ("score", |player| player.score.to_string()),
    ("opponents", |player| player.opponents.to_string()),
    ("draws", |player| player.draws.to_string()),
    ("superiority", |player| some(player.superiority)),
];

fn some(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// BayesElo's columns, in its scale; then half the interval by tables, and how likely each is better than the next.
fn table(out: &mut impl Write, ranking: &Ranking) -> io::Result<()> {
    let headings = [
        "Rank", "Name", "Elo", "+", "-", "games", "score", "oppo.", "draws", "tables", "LOS",
    ];
    let whole = |elo: f64| format!("{:.0}", (ranking.scale * elo).round() + 0.0);
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let row = |player: &Rated| {
        vec![
            player.rank.to_string(),
            player.name.clone(),
            whole(player.elo),
            whole(player.upper - player.elo),
            whole(player.elo - player.lower),
            player.games.to_string(),
            percent(player.score),
            whole(player.opponents),
            percent(player.draws),
            player.table_upper.map_or("-".to_owned(), |upper| {
                format!("±{}", whole(upper - player.elo))
            }),
            player
                .superiority
                .map_or(String::new(), |likely| format!("{:.1}%", 100.0 * likely)),
        ]
    };
    for component in ranking
        .players
        .chunk_by(|one, other| one.component == other.component)
    {
        if ranking.components > 1 {
            let number = component.first().map_or(0, |player| player.component);
            writeln!(
                out,
                "Component {number} of {}, which never met the others:",
                ranking.components
            )?;
        }
        let rows: Vec<_> = component.iter().map(row).collect();
        write_rows(out, Format::Table, &headings, &rows, ranking)?;
    }
    if !ranking.without_results.is_empty() {
        writeln!(
            out,
            "Without results: {}",
            ranking.without_results.join(", ")
        )?;
    }
    Ok(())
}
