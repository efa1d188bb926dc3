//! The bots, and one of them.

use super::layout::{Shell, shown};
use super::start::Place;
use super::versus::{self, Rival};
use super::view::{MatchLine, interval, line, now, percent, title};
use super::visit::Visit;
use crate::api::bots::{self, BotResults, BotShown};
use crate::api::lists::Rows as _;
use crate::api::matches;
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::history::{self, Filter};
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::text::counted;
use std::collections::HashMap;

#[derive(Template)]
#[template(path = "pages/bots.html")]
struct Bots {
    shell: Shell,
    games: Vec<OfGame>,
}

/// The bots of a game.
struct OfGame {
    name: &'static str,
    title: &'static str,
    bots: Vec<Ranked>,
}

/// A bot in the list.
struct Ranked {
    found: BotResults,
    /// Bots that play as it does in matches of another kind.
    variants: Vec<Self>,
}

impl Ranked {
    fn name(&self) -> &str {
        &self.found.bot.name
    }

    /// How it plays: its description without what a node of its search is, which its own page says.
    fn plays(&self) -> &str {
        plays(self.found.bot.description)
    }

    /// Its share of the wins, and the 95 % interval of that; `None` if it has taken no seat.
    fn share(&self) -> Option<(String, String)> {
        share(&self.found)
    }

    /// The seats that it took and its share of their wins.
    fn played(&self) -> String {
        let played = |(share, range)| {
            let seats = counted(self.found.matches, "seat");
            format!("{seats}, {share} ({range})")
        };
        self.share().map_or_else(|| "not played".to_owned(), played)
    }

    /// It and its variants.
    fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.variants)
    }

    /// Whether another one is its variant: on the same rung, with a name that goes on from its own (`idle-team`).
    fn is_base_of(&self, other: &Self) -> bool {
        let rung = self.found.bot.rung;
        let rest = other.name().strip_prefix(self.name());
        rung.is_some()
            && rung == other.found.bot.rung
            && rest.is_some_and(|rest| rest.starts_with('-'))
    }
}

#[derive(Template)]
#[template(path = "pages/bot.html")]
struct Bot {
    shell: Shell,
    /// What people call its game.
    title: &'static str,
    bot: BotShown,
    /// Its results, if it has any: names, values and what explains them.
    results: Vec<(&'static str, String, String)>,
    /// Where a referee calls it, in games where one does.
    called_at: Option<String>,
    /// What plays a match against it.
    against: String,
    rivals: Vec<Rival>,
    matches: Vec<MatchLine>,
}

/// `GET /bots`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params::<bots::Bots>()?;
    let mut games: Vec<OfGame> = Vec::new();
    let mut records = HashMap::new();
    for bot in bots::Bots::page(&visit, &params).await?.items {
        if games.last().is_none_or(|game| game.name != bot.game) {
            let (reader, open_us) = (visit.state.store.reader(), visit.sight.open_us());
            records = history::bot_records(reader, bot.game, None, open_us).await?;
            games.push(OfGame {
                name: bot.game,
                title: title(bot.game),
                bots: Vec::new(),
            });
        }
        let record = records.remove(&bot.name).unwrap_or_default();
        let one = Ranked {
            found: BotResults::new(bot, &record),
            variants: Vec::new(),
        };
        let Some(game) = games.last_mut() else {
            continue;
        };
        match game.bots.last_mut() {
            Some(base) if base.is_base_of(&one) => base.variants.push(one),
            _ => game.bots.push(one),
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
        against: against(&bot),
        rivals: versus::of_bot(&visit, &game, &name).await?,
        matches: matches.iter().map(|found| line(found, now)).collect(),
        bot,
    })
}

fn plays(description: &str) -> &str {
    let node = description.split_once(" A node is ");
    node.map_or(description, |(plays, _)| plays)
}

/// What plays a match of a user's bot against it.
fn against(bot: &BotShown) -> String {
    let seats = games::find(bot.game).map_or(2, |kit| *kit.card().seats.start());
    let rivals = format!(" --seat {}", bot.spec).repeat(seats.max(2) - 1);
    format!(
        "drover play {} --seat bot:mybot{rivals} --games 10",
        bot.game
    )
}

/// A bot's share of the wins, and the 95 % interval of that; `None` if it has taken no seat.
fn share(found: &BotResults) -> Option<(String, String)> {
    let (share, low, high) = (
        found.win_share?,
        found.win_share_low?,
        found.win_share_high?,
    );
    Some((percent(share), interval(low, high, found.matches)))
}

fn results(found: &BotResults) -> Vec<(&'static str, String, String)> {
    let Some((share, range)) = share(found) else {
        return Vec::new();
    };
    let count = |name, count: u64| (name, count.to_string(), String::new());
    let range = format!("95 % interval: {range}");
    vec![
        count("Seats", found.matches),
        count("Won", found.won),
        count("Tied", found.tied),
        count("Lost", found.lost),
        ("Win share", share, range),
    ]
}

#[cfg(test)]
mod tests {
    use super::plays;

    #[test]
    fn how_a_bot_plays_leaves_its_nodes_to_its_page() {
        let text = "Plans eight turns ahead. A node is one turn.";
        assert_eq!(plays(text), "Plans eight turns ahead.");
        for bot in games::ALL.iter().flat_map(|kit| kit.card().bots) {
            let said = plays(bot.description);
            assert!(!said.is_empty() && !said.contains("node"), "{said}");
        }
    }
}
