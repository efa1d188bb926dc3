//! Who did what to whom: a bot's record against its rivals, and against one of them with their matches.

use super::filters::{link, query};
use super::layout::{Shell, shown};
use super::view::{
    INTERVAL_MIN, MatchLine, TOO_FEW, answer_time, cause, figure, interval, line, now, percent,
    title,
};
use super::visit::Visit;
use crate::api::matches;
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::api::versus::versus;
use crate::chart::{self, Span};
use crate::history::EndedWord;
use crate::history::{Filter, Score, Standing, Subject, Times, Versus, VersusBluffs};
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::Cause;
use games::text::counted;
use serde::Deserialize;
use utoipa::IntoParams;

/// Pages of matches that are looked through for those of one pair: the store may give short ones.
const READS_MAX: usize = 4;
/// The most matches of a pair on its page.
const MATCHES_MAX: usize = 50;

#[derive(Template)]
#[template(path = "pages/pair.html")]
struct Pair {
    shell: Shell,
    game: String,
    /// What people call the game.
    title: String,
    bot: String,
    rival: Rival,
    splits: Vec<Split>,
    pairs: Vec<(&'static str, String)>,
    /// Outcomes to choose from: link, name, whether it is chosen.
    outcomes: Vec<(String, &'static str, bool)>,
    matches: Vec<MatchLine>,
    more: bool,
    /// Whether the visitor may not look for the rival.
    hidden: bool,
}

/// A rival in a table.
pub(super) struct Rival {
    /// What people call it.
    pub(super) label: String,
    /// Where it is called, if that is not its label; else empty.
    pub(super) address: String,
    /// To the page of the pair.
    pub(super) link: String,
    /// To the matches of the pair that were lost.
    pub(super) lost_link: String,
    pub(super) score: Split,
    pub(super) trend: String,
    /// Whether there are older matches that are not counted.
    pub(super) more: bool,
}

/// Results of a kind.
pub(super) struct Split {
    pub(super) name: String,
    pub(super) games: u64,
    pub(super) won: u64,
    pub(super) tied: u64,
    pub(super) lost: u64,
    pub(super) share: String,
    pub(super) range: String,
    /// Where it was seen often enough.
    pub(super) span: Option<Span>,
}

/// A bot's rivals, the most frequent one first.
pub(super) async fn of_bot(visit: &Visit, game: &str, bot: &str) -> Result<Vec<Rival>, Problem> {
    let all = versus(visit, game, Subject::Bot(bot)).await?;
    let rival = |versus: &Versus| rival(versus, pair(game, bot, &versus.rival));
    Ok(all.iter().map(rival).collect())
}

/// Our bots that met an opponent.
pub(super) async fn of_opponent(
    visit: &Visit,
    game: &str,
    name: &str,
) -> Result<Vec<Rival>, Problem> {
    let all = versus(visit, game, Subject::Opponent(name)).await?;
    let rival = |versus: &Versus| rival(versus, pair(game, &versus.rival, name));
    Ok(all.iter().map(rival).collect())
}

/// The address of a pair's page.
fn pair(game: &str, bot: &str, rival: &str) -> String {
    format!("/bots/{game}/{bot}/versus{}", query([("rival", rival)]))
}

fn rival(versus: &Versus, link: String) -> Rival {
    let trend = versus.trend.as_ref().map(|trend| {
        let word = match (trend.low > 0.0, trend.high < 0.0) {
            (true, _) => "better",
            (_, true) => "worse",
            _ => "no clear change",
        };
        let of = |share: f64| format!("{:+.0} %", 100.0 * share);
        format!(
            "{word}: {} ({} to {})",
            of(trend.change),
            of(trend.low),
            of(trend.high)
        )
    });
    Rival {
        label: label(&versus.rival),
        address: address(&versus.rival).unwrap_or_default().to_owned(),
        lost_link: format!("{link}&outcome=lost"),
        link,
        score: split(String::new(), &versus.all),
        trend: trend.unwrap_or_else(|| TOO_FEW.to_owned()),
        more: versus.more,
    }
}

/// A rival in words: a command or an address is no name, but there may be no other.
fn label(rival: &str) -> String {
    match (rival, address(rival), rival.strip_prefix("cmd:")) {
        ("", ..) => "unknown".to_owned(),
        // All of them, for those who see no more of them.
        ("cmd", ..) => "programs".to_owned(),
        ("url", ..) => "servers".to_owned(),
        (_, Some(address), _) => {
            let path = address.split('?').next().unwrap_or(address);
            let (host, path) = path.split_once('/').unwrap_or((path, ""));
            match path.rsplit('/').next() {
                Some(name) if !name.is_empty() => format!("{name} at {host}"),
                _ => format!("the server at {host}"),
            }
        }
        (_, _, Some(command)) => format!("the program {command}"),
        (name, ..) => name.to_owned(),
    }
}

/// The address of a rival that is a server.
fn address(rival: &str) -> Option<&str> {
    rival.strip_prefix("url:http://")
}

fn split(name: String, score: &Score) -> Split {
    Split {
        name,
        games: score.games,
        won: score.won,
        tied: score.tied,
        lost: score.lost,
        share: percent(score.pair_score),
        range: interval(score.pair_score_low, score.pair_score_high, score.games),
        span: (score.games >= INTERVAL_MIN).then(|| {
            let (low, high) = (score.pair_score_low, score.pair_score_high);
            chart::span(low, Some(score.pair_score), high)
        }),
    }
}

/// What the page of a pair is asked.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    rival: Option<String>,
    #[param(inline, value_type = Option<EndedWord>)]
    outcome: Option<Standing>,
}

/// `GET /bots/{game}/{bot}/versus`
pub(super) async fn page(
    Path((game, bot)): Path<(String, String)>,
    visit: Visit,
) -> Result<Response, Problem> {
    let asked = visit.read::<Asked>(&[])?;
    let name = asked.rival.unwrap_or_default();
    let all = versus(&visit, &game, Subject::Bot(&bot)).await?;
    let found = all.iter().find(|versus| versus.rival == name);
    let never = || Problem::not_found(format!("{bot} of {game} has met no {name:?}"));
    let found = found.ok_or_else(never)?;
    let (matches, more) = between(&visit, &game, &bot, &name, asked.outcome).await?;
    let outcome = visit.value("outcome").unwrap_or_default();
    let outcomes = [
        ("", "all"),
        ("won", "won"),
        ("tied", "tied"),
        ("lost", "lost"),
    ];
    let outcomes =
        outcomes.map(|(value, label)| (link(&visit, "outcome", value), label, value == outcome));
    let seats = found.seats.iter();
    let seats = seats.map(|(seat, score)| split(format!("from seat {}", seat + 1), score));
    let places = found.places.iter();
    let places = places.map(|(place, score)| {
        split(
            format!("rival {} after ours", counted(*place, "seat")),
            score,
        )
    });
    shown(&Pair {
        shell: visit.shell(format!("{bot} against {}", label(&name)), "/bots"),
        splits: seats.chain(places).collect(),
        pairs: figures(found),
        rival: rival(found, pair(&game, &bot, &name)),
        outcomes: outcomes.into(),
        matches,
        more,
        hidden: visit.sight.hides(&name),
        title: title(&game).to_owned(),
        game,
        bot,
    })
}

/// What else is known of two who met.
fn figures(versus: &Versus) -> Vec<(&'static str, String)> {
    let causes = versus.causes.iter();
    let causes = causes.map(|(word, count)| {
        let known = Cause::from_word(word).map(cause);
        format!(
            "{count} {}",
            known.unwrap_or_else(|| word.replace('_', " "))
        )
    });
    let faults = match (versus.blamed, versus.rival_blamed) {
        (0, 0) => String::new(),
        (ours, theirs) => format!("{ours} ours, {theirs} theirs"),
    };
    let all = [
        (
            "How their matches ended",
            causes.collect::<Vec<_>>().join(", "),
        ),
        ("At fault for the end", faults),
        ("Our bluffs", bluffs(&versus.own_bluffs)),
        ("Their bluffs", bluffs(&versus.rival_bluffs)),
        ("Our decisions", times(&versus.own_times)),
        ("Their decisions", times(&versus.rival_times)),
    ];
    all.into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

fn bluffs(of: &VersusBluffs) -> String {
    if of.count == 0 {
        return String::new();
    }
    let mean = |name: &str, value: Option<f64>| {
        value.map_or_else(String::new, |value| {
            format!(", {name} {} on average", figure(value))
        })
    };
    format!(
        "{}, {} of them caught{}{}",
        of.count,
        of.caught,
        mean("claimed", of.bid),
        mean("held", of.held)
    )
}

fn times(of: &Times) -> String {
    let shown = |ms: Option<f64>| ms.map_or_else(String::new, answer_time);
    match of.decisions {
        0 => String::new(),
        count => {
            let mut words = format!(
                "{}: median {}, 99 % within {}, longest {}",
                counted(count, "decision"),
                shown(of.sent_ms_p50),
                shown(of.sent_ms_p99),
                shown(of.sent_ms_max)
            );
            if of.fallbacks + of.late > 0 {
                let fallbacks = counted(of.fallbacks, "fallback");
                words.push_str(&format!("; {fallbacks}, {} late", of.late));
            }
            words
        }
    }
}

/// The newest matches of a pair with the outcome asked for, and whether there may be more.
async fn between(
    visit: &Visit,
    game: &str,
    bot: &str,
    rival: &str,
    between: Option<Standing>,
) -> Result<(Vec<MatchLine>, bool), Problem> {
    let mut found = Vec::new();
    if visit.sight.hides(rival) {
        return Ok((found, false));
    }
    let mut params = Params::first(
        Filter {
            game: Some(game.to_owned()),
            bot: Some(bot.to_owned()),
            opponent: Some(rival.to_owned()),
            between,
            ..Filter::default()
        },
        0,
    );
    for _ in 0..READS_MAX {
        params.page.limit = Some((MATCHES_MAX - found.len()) as u32);
        let listed = matches::page(visit, &params).await?;
        found.extend(listed.items.iter().map(|found| line(found, now())));
        match listed.next {
            Some(next) if found.len() < MATCHES_MAX => params.page.cursor = Some(next),
            next => return Ok((found, next.is_some())),
        }
    }
    Ok((found, true))
}
