//! The built-in bots, and one of them.

use super::layout::{Shell, shown};
use super::view::{MatchLine, line, now};
use super::visit::{Visit, asking};
use crate::api::bots::{self, BotShown};
use crate::api::matches;
use crate::api::params::PAGE;
use crate::api::problem::Problem;
use askama::Template;
use axum::extract::Path;
use axum::response::Response;

#[derive(Template)]
#[template(path = "pages/bots.html")]
struct Bots {
    shell: Shell,
    games: Vec<(&'static str, Vec<BotShown>)>,
}

#[derive(Template)]
#[template(path = "pages/bot.html")]
struct Bot {
    shell: Shell,
    bot: BotShown,
    matches: Vec<MatchLine>,
}

/// `GET /bots`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params(&[&["game"]])?;
    let mut games: Vec<(&'static str, Vec<BotShown>)> = Vec::new();
    for bot in bots::page(&params)?.items {
        match games.last_mut().filter(|(game, _)| *game == bot.game) {
            Some((_, bots)) => bots.push(bot),
            None => games.push((bot.game, vec![bot])),
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
    visit.params(&[])?;
    let bots = bots::page(&asking([], &[])?)?.items.into_iter();
    let mut bots = bots.filter(|bot| bot.game == game && bot.name == name);
    let unknown = || Problem::not_found(format!("{game} has no bot {name}"));
    let bot = bots.next().ok_or_else(unknown)?;
    let own = [("game", bot.game), ("bot", bot.name), ("limit", "20")];
    let matches = asking(own, &[matches::FILTERS, PAGE])?;
    let matches = matches::page(&visit, &matches).await?.items;
    let now = now();
    shown(&Bot {
        shell: visit.shell(format!("{} of {}", bot.name, bot.game), "/bots"),
        matches: matches.iter().map(|found| line(found, now)).collect(),
        bot,
    })
}
