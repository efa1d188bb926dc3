//! The bots, and one of them.

use super::layout::{Shell, shown};
use super::start::Place;
use super::versus::{self, Rival};
use super::view::{MatchLine, line, now, percent, title};
use super::visit::Visit;
use crate::api::bots::{self, BotResults, BotShown};
use crate::api::lists::Rows as _;
use crate::api::matches;
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::history::Filter;
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::text::counted;

#[derive(Template)]
#[template(path = "pages/bots.html")]
struct Bots {
    shell: Shell,
    /// By name and title.
    games: Vec<(&'static str, &'static str, Vec<BotShown>)>,
}

#[derive(Template)]
#[template(path = "pages/bot.html")]
struct Bot {
    shell: Shell,
    /// What people call its game.
    title: &'static str,
    bot: BotShown,
    /// Its results in a sentence, if it has any.
    results: String,
    /// Where a referee calls it, in games where one does.
    called_at: Option<String>,
    rivals: Vec<Rival>,
    matches: Vec<MatchLine>,
}

/// `GET /bots`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params::<bots::Bots>()?;
    let mut games: Vec<(&'static str, &'static str, Vec<BotShown>)> = Vec::new();
    for bot in bots::Bots::page(&visit, &params).await?.items {
        match games.last_mut().filter(|(game, ..)| *game == bot.game) {
            Some((.., bots)) => bots.push(bot),
            None => games.push((bot.game, title(bot.game), vec![bot])),
        }
    }
    let shell = visit.shell("Bots", "/bots");
    shown(&Bots { shell, games })
}

/// `GET /bots/{game}/{bot}`
pub(super) async fn one(
    Path((game, name)): Path<(String, String)>,
    visit: Visit,
) -> Result<Response, Problem> {
    visit.takes(&[])?;
    let found = bots::find(&visit, &game, &name).await?;
    let results = results(&found);
    let bot = found.bot;
    let own = Filter {
        game: Some(bot.game.to_owned()),
        bot: Some(bot.name.clone()),
        ..Filter::default()
    };
    let matches = matches::page(&visit, &Params::first(own, 20)).await?.items;
    let kit = games::find(bot.game);
    let called_at = kit.and_then(|kit| Place::new(&visit).called_at(kit, &bot.name));
    let now = now();
    shown(&Bot {
        called_at,
        shell: visit.shell(format!("{} of {}", bot.name, title(bot.game)), "/bots"),
        title: title(bot.game),
        results,
        rivals: versus::of_bot(&visit, &game, &name).await?,
        matches: matches.iter().map(|found| line(found, now)).collect(),
        bot,
    })
}

fn results(found: &BotResults) -> String {
    let (Some(share), Some(low), Some(high)) =
        (found.win_share, found.win_share_low, found.win_share_high)
    else {
        return String::new();
    };
    format!(
        "{} with a result: {} won, {} tied, {} lost; a share of the wins of {} ({} to {} at 95 %)",
        counted(found.matches, "match"),
        found.won,
        found.tied,
        found.lost,
        percent(share),
        percent(low),
        percent(high)
    )
}
