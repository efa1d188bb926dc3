//! `drover bot check`: what to fix in a bot before it plays.

use super::output::{Format, laid_out, write_rows};
use super::stopping::STOPPED;
use crate::config::Config;
use crate::daemon::Signals;
use crate::link::program::{Guard, adopt_orphans, no_isolation, protections};
use crate::plain::plain;
use crate::programs::{BotName, Finding, Report, Shelf, Weather, check, protections_of};
use crate::sheet::Layout;
use anyhow::Context as _;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{fs, thread};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

const HEADINGS: [&str; 9] = [
    "game",
    "weather",
    "answers",
    "legal",
    "ready_ms",
    "p50_ms",
    "p99_ms",
    "slowest_ms",
    "used",
];

/// The same for people, without the game.
const SHOWN: [&str; 8] = [
    "weather", "answers", "legal", "ready", "p50", "p99", "slowest", "used",
];

pub(super) fn run(
    config: &Config,
    folder: &Path,
    output: Format,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    // As it would be added: copied, built, confined.
    let place = tempfile::tempdir().context("cannot make a folder to try it in")?;
    end_on_signal(place.path()).context("signals cannot be received")?;
    let shelf = Shelf::from_config(config).at(place.path());
    let shelf = shelf.building_until(CancellationToken::new());
    let (manifest, _) = shelf.add(folder)?;
    let launch = shelf.get(&BotName {
        name: manifest.name.clone(),
        version: None,
    })?;
    let guard = Guard::from_protections(&protections(no_isolation()));
    let reported = match manifest.url {
        // Nothing of it runs here: there is nothing to protect from.
        Some(_) => Vec::new(),
        None => protections_of(config),
    };
    let mut reports = Vec::new();
    for kit in games::ALL
        .iter()
        .filter(|kit| launch.plays(kit.card().name))
    {
        let report = check(&launch, *kit, Some(guard), config.callbacks.margin_ms);
        reports.push(report.map_err(anyhow::Error::msg)?);
    }
    let all = || reports.iter().flat_map(|report| &report.findings);
    let whole = json!({
        "bot": launch.name,
        "version": launch.version,
        "well": reports.iter().all(Report::is_well),
        "games": reports,
        "protections": reported,
    });
    if output != Format::Table {
        let rows: Vec<Vec<String>> = reports.iter().flat_map(rows).collect();
        write_rows(out, output, &HEADINGS, &rows, &whole)?;
    } else {
        for report in &reports {
            out.write_all(shown(report).as_bytes())?;
        }
        for (what, source) in fixes(all()) {
            writeln!(out, "fix ({source}): {}", plain(what))?;
        }
        if all().all(|finding| finding.fix.is_empty()) {
            let (name, version) = (&launch.name, &launch.version);
            writeln!(out, "{name}@{version} is in order")?;
        }
    }
    Ok(match reports.iter().all(Report::is_well) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Has the first signal that ends this process take this folder along.
fn end_on_signal(folder: &Path) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::new()?
    };
    let folder = folder.to_owned();
    let wait = move || {
        runtime.block_on(signals.next());
        // What its programs write meanwhile is the system's to sweep. They end with this process: their guards see to it.
        let _ = fs::remove_dir_all(folder);
        std::process::exit(STOPPED.into());
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)?;
    Ok(())
}

/// What to fix, each once, with the weathers in which it was found.
fn fixes<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<(&'a str, String)> {
    let mut fixes: Vec<(&str, Vec<Weather>)> = Vec::new();
    let mut all = BTreeSet::new();
    for finding in findings {
        all.insert(finding.weather);
        for what in &finding.fix {
            match fixes.iter_mut().find(|(known, _)| known == what) {
                Some((_, weathers)) if !weathers.contains(&finding.weather) => {
                    weathers.push(finding.weather);
                }
                Some(_) => {}
                None => fixes.push((what, vec![finding.weather])),
            }
        }
    }
    let shown = |weathers: Vec<Weather>| match weathers.len() == all.len() && all.len() > 1 {
        true => "always".to_owned(),
        false => {
            let weathers: Vec<String> = weathers.iter().map(Weather::to_string).collect();
            weathers.join(", ")
        }
    };
    let fixes = fixes.into_iter();
    fixes
        .map(|(what, weathers)| (what, shown(weathers)))
        .collect()
}

/// A game's part for people.
fn shown(report: &Report) -> String {
    let rows = rows(report).into_iter();
    let rows: Vec<Vec<String>> = rows.map(|row| row.into_iter().skip(1).collect()).collect();
    let layout = Layout {
        right: &[1, 2, 3, 4, 5, 6, 7],
        spare: &[7],
        ..Layout::default()
    };
    format!(
        "{}, times in ms\n{}",
        report.game,
        laid_out(&SHOWN, &rows, &layout)
    )
}

fn rows(report: &Report) -> Vec<Vec<String>> {
    let findings = report.findings.iter();
    findings.map(|finding| cells(report, finding)).collect()
}

fn cells(report: &Report, finding: &Finding) -> Vec<String> {
    let whole = |ms: Option<f64>| ms.map_or_else(String::new, |ms| format!("{ms:.0}"));
    let tenths = |ms: Option<f64>| ms.map_or_else(String::new, |ms| format!("{ms:.1}"));
    let slowest = match finding.slowest_ms {
        Some(_) => format!(
            "{} of {}",
            tenths(finding.slowest_ms),
            whole(finding.allowed_ms)
        ),
        None => String::new(),
    };
    let used = finding.used();
    vec![
        report.game.clone(),
        finding.weather.to_string(),
        format!("{} of {}", finding.answers, finding.asked),
        finding.legal.to_string(),
        whole(finding.ready_ms),
        tenths(finding.p50_ms),
        tenths(finding.p99_ms),
        slowest,
        used.map_or_else(String::new, |used| format!("{:.1} %", used * 1e2)),
    ]
}
