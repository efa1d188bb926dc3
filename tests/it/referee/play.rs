//! The verb `play`, in process and over the wire, with the tests' own game.

use super::players::{Manner, Player};
use crate::app::{clean, folder};
use clap::Parser;
use drover::cli::play::play;
use drover::cli::play_args::PlayArgs;
use drover::cli::usage::UsageError;
use drover::history::GameRules;
use drover::history::{self, Filter, PageAt};
use drover::store::{MatchRow, Store};
use drover_toy::KIT;
use games::Kit;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: PlayArgs,
}

pub fn args(line: &str) -> PlayArgs {
    let words = ["play", "toy"].into_iter().chain(line.split_whitespace());
    Line::try_parse_from(words).unwrap().args
}

async fn said(kit: &'static dyn Kit, line: &str) -> anyhow::Result<String> {
    let played = play(kit, args(line), CancellationToken::new()).await;
    played.map(|played| played.text)
}

async fn json(line: &str) -> Value {
    let text = said(&KIT, &format!("{line} --output json")).await;
    serde_json::from_str(&text.unwrap()).unwrap()
}

async fn refusal(line: &str) -> String {
    let error = said(&KIT, line).await.unwrap_err();
    error.downcast::<UsageError>().unwrap().to_string()
}

#[tokio::test]
async fn seats_are_summed_up_in_the_order_given() {
    let line = "--seat builtin:quick --seat builtin:champion --seat filler --seat filler \
         --games 40 --budget 10n --concurrency 2 --seed 5 --option rounds=5";
    let report = json(line).await;
    assert_eq!(
        (&report["game"], &report["games"]),
        (&"toy".into(), &40.into())
    );
    assert_eq!(report["budget"], "10n");
    let seats = report["seats"].as_array().unwrap();
    let bots: Vec<&Value> = seats.iter().map(|seat| &seat["bot"]).collect();
    assert_eq!(
        bots,
        ["builtin:quick", "builtin:champion", "filler", "filler"]
    );
    assert_eq!(
        (&seats[1]["wins"], &seats[1]["win_share"]),
        (&40.into(), &1.0.into())
    );
    assert!(seats[1]["win_share_low"].as_f64().unwrap() < 1.0);
    assert_eq!(
        seats[0]["mean_score"], 1.25,
        "seats rotate over each deck, so all are as often asked twice"
    );
    assert_eq!(seats[1]["timed"], 50);
    assert!(seats[1]["decision_ms_p99"].as_f64().is_some());
    let again = json(line).await;
    assert_eq!(again["seats"][3]["mean_score"], seats[3]["mean_score"]);
}

#[tokio::test]
async fn pools_draw_tables_and_csv_has_a_header() {
    let line = "--pool builtin:quick,builtin:champion,filler,filler,builtin:quick --players 4 --games 400 --budget 1n";
    let report = json(line).await;
    let seats = report["seats"].as_array().unwrap();
    let games: u64 = seats
        .iter()
        .map(|seat| seat["games"].as_u64().unwrap())
        .sum();
    assert_eq!((seats.len(), games), (5, 1_600));
    let csv = format!("{line} --output csv --no-rotate --no-models");
    let text = said(&KIT, &csv).await.unwrap();
    assert!(text.starts_with("seat,bot,games,wins,"), "{text}");
    assert_eq!(text.lines().count(), 6);
}

#[tokio::test]
async fn a_stop_ends_early_with_what_was_played() {
    let stop = CancellationToken::new();
    stop.cancel();
    let line = "--seat builtin:champion --games 1000000 --budget 1s --concurrency 1 --output json";
    let text = play(&KIT, args(line), stop).await.unwrap().text;
    let report: Value = serde_json::from_str(&text).unwrap();
    assert!(report["games"].as_u64().unwrap() < 1_000_000);
    assert_eq!(report["games_planned"], 1_000_000);
}

async fn kept(store: &Store) -> Vec<MatchRow> {
    let at = PageAt::first(10);
    history::matches(store.reader(), &Filter::default(), &at)
        .await
        .unwrap()
        .items
}

#[tokio::test]
async fn transcripts_and_matches_are_kept() {
    let folder = folder();
    let (log, db) = (folder.path().join("log"), folder.path().join("play.db"));
    let keep = format!("--log {} --store {}", log.display(), db.display());
    let line = format!("--seat builtin:quick --games 3 --budget 1n {keep}");
    assert_eq!(json(&line).await["games"], 3);
    let first = std::fs::read_to_string(log.join("match-000001.txt")).unwrap();
    assert!(
        first.contains("seats\tbuiltin:quick\tbuiltin:filler"),
        "{first}"
    );
    assert_eq!(std::fs::read_dir(&log).unwrap().count(), 3);
    let matches = kept(&Store::open_readonly(&db, GameRules::all()).await.unwrap()).await;
    assert_eq!(matches.len(), 3);
    assert!(
        matches
            .iter()
            .all(|row| row.ended_us.is_some() && row.referee == "play")
    );
}

#[tokio::test]
async fn urls_and_built_in_bots_sit_at_one_table() {
    let player = Player::start(Manner::KeepAlive).await;
    let line = format!(
        "--seat url:{} --seat builtin:quick --games 8 --budget 1n --concurrency 3 --option rounds=8",
        player.url
    );
    let report = json(&line).await;
    assert_eq!(
        (&report["games"], &report["wire"]),
        (&8.into(), &true.into())
    );
    let seats = report["seats"].as_array().unwrap();
    assert_eq!(
        (&seats[0]["mean_score"], &seats[1]["mean_score"]),
        (&10.0.into(), &2.0.into())
    );
    assert_eq!(
        (&seats[0]["wins"], &seats[0]["missed"]),
        (&8.into(), &0.into())
    );
    assert_eq!(seats[0]["timed"], 16);
}

#[tokio::test]
async fn wire_calls_built_in_bots_behind_the_gateway() {
    let folder = folder();
    let db = folder.path().join("play.db");
    let bots = "--seat builtin:guide --seat builtin:face --games 2 --concurrency 2 --budget 1n";
    let kit = games::find("koehandel").unwrap();
    for store in [String::new(), format!("--store {}", db.display())] {
        let line = format!("--wire --output json {bots} {store}");
        let report: Value = serde_json::from_str(&said(kit, &line).await.unwrap()).unwrap();
        let guide = &report["seats"][0];
        assert_eq!(
            (&report["wire"], &guide["bot"]),
            (&true.into(), &"builtin:guide".into())
        );
        assert_eq!(
            (&guide["missed"], &guide["refused"]),
            (&0.into(), &0.into()),
            "{report}"
        );
        assert!(guide["timed"].as_u64().unwrap() > 0, "{report}");
    }
    let store = Store::open_readonly(&db, GameRules::all()).await.unwrap();
    let matches = kept(&store).await;
    assert_eq!(matches.len(), 2);
    for row in matches {
        // The referee's side of four seats, and the gateway's of its two bots.
        assert_eq!(
            history::sessions_of(store.reader(), &row.id)
                .await
                .unwrap()
                .len(),
            6,
            "{row:?}"
        );
        let called = |bot: &str| row.seats.iter().any(|seat| seat.spec.ends_with(bot));
        assert!(
            called("/koehandel/guide") && called("/koehandel/face"),
            "{row:?}"
        );
    }
    clean(&store).await;
}

#[tokio::test]
async fn bad_command_lines_are_refused_with_a_sentence() {
    for (line, said) in [
        ("", "--seat or --pool"),
        ("--seat builtin:three", "filler, quick, champion"),
        ("--seat cmd:./bot", "speak HTTP"),
        ("--seat remote", "url:http"),
        ("--seat one", "builtin:NAME"),
        (&"--seat filler ".repeat(5), "has 4 seats"),
        ("--seat filler --option rounds", "NAME=VALUE"),
        ("--seat filler --option x=1", "rounds, all, failures_max"),
    ] {
        let refusal = refusal(line).await;
        assert!(refusal.contains(said), "{line}: {refusal}");
    }
    let refused = |line: &str| {
        let words = ["play", "toy"].into_iter().chain(line.split_whitespace());
        Line::try_parse_from(words).err().unwrap().to_string()
    };
    assert!(refused("--budget 5").contains("200ms"));
    assert!(refused("--games 0").contains("0 is not in"));
    assert!(refused("--seat filler --pool filler").contains("cannot be used with"));
    assert!(games::find("toy").is_none(), "no program knows it");
}
