//! The built-in bots.

use super::asked::Asked;
use super::lists::Rows;
use super::params::{FIELDS, Params};
use super::problem::Problem;
use super::reader::Reader;
use super::shapes::Listed;
use axum::extract::Path;
use axum::response::Response;
use games::stats::ClusteredMean;
use games::{BotCard, Kit};
use serde::Serialize;
use utoipa::ToSchema;

/// A built-in bot.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Bot)]
pub(super) struct BotShown {
    /// The game that it plays.
    #[schema(example = "koehandel")]
    pub game: &'static str,
    /// Its name.
    #[schema(example = "champion")]
    pub name: &'static str,
    /// How a seat names it.
    #[schema(example = "builtin:champion")]
    pub spec: String,
    /// Its rung on the game's ladder, weakest 1.
    pub rung: u8,
    /// Raised whenever its play changes.
    pub version: u32,
    /// How it plays.
    pub description: &'static str,
    /// 16 hexadecimal digits that change only when its play changes.
    #[schema(example = "00f1c9a95b1fd1c7", pattern = "^[0-9a-f]{16}$")]
    pub signature: String,
    /// Whether it uses a thinking budget.
    pub thinks: bool,
}

/// A bot's results in matches that are over and public, among its newest 4096; one a seat, where it played several.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct BotResults {
    /// The bot.
    #[serde(flatten)]
    pub bot: BotShown,
    /// Matches with a result.
    pub matches: u64,
    /// Matches won outright.
    pub won: u64,
    /// Matches won together with others.
    pub tied: u64,
    /// Matches that somebody else won.
    pub lost: u64,
    /// The mean share of the win: 1/k for one of k winners; `null` without matches.
    pub win_share: Option<f64>,
    /// The lower end of its 95 % interval.
    pub win_share_low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub win_share_high: Option<f64>,
}

/// `GET /api/v1/bots/{game}/{bot}`
pub(super) async fn one(
    Path((game, bot)): Path<(String, String)>,
    asked: Asked,
) -> Result<Response, Problem> {
    let params = asked.params(&[FIELDS])?;
    asked.answer(&params, false, &find(&asked, &game, &bot).await?)
}

/// One bot with its results.
pub(super) async fn find(reader: &Reader, game: &str, bot: &str) -> Result<BotResults, Problem> {
    let (kit, card) = card(game, bot)?;
    let open_us = reader.sight.open_us();
    let record = reader.state.store.bot_record(game, bot, open_us).await?;
    let matches = record.won + record.tied + record.lost;
    let share = (matches > 0).then(|| ClusteredMean::from(record.share));
    let interval = share.map(|share| share.share_interval());
    Ok(BotResults {
        bot: shown(kit.game(), card),
        matches,
        won: record.won,
        tied: record.tied,
        lost: record.lost,
        win_share: share.map(|share| share.value()),
        win_share_low: interval.map(|(low, _)| low),
        win_share_high: interval.map(|(_, high)| high),
    })
}

/// The bot of this name, with its game.
pub(super) fn card(game: &str, bot: &str) -> Result<(&'static dyn Kit, &'static BotCard), Problem> {
    let unknown = || Problem::not_found(format!("there is no bot {bot} of {game}"));
    let kit = games::find(game).ok_or_else(unknown)?;
    let card = kit.bots().iter().find(|card| card.name == bot);
    Ok((kit, card.ok_or_else(unknown)?))
}

/// The list of bots.
pub(super) struct Bots;

impl Rows for Bots {
    type Item = BotShown;
    const FILTERS: &'static [&'static str] = &["game"];

    async fn page(_: &Reader, params: &Params) -> Result<(Listed<BotShown>, bool), Problem> {
        Ok((page(params)?, false))
    }
}

/// The bots of all games, or of one.
pub(super) fn page(params: &Params) -> Result<Listed<BotShown>, Problem> {
    let wanted = params.game()?;
    let kits = games::ALL.iter();
    let kits = kits.filter(|kit| wanted.as_deref().is_none_or(|game| game == kit.game()));
    let bots = kits.flat_map(|kit| kit.bots().iter().map(|bot| shown(kit.game(), bot)));
    Listed::cut(bots, &params.page_or_all()?)
}

fn shown(game: &'static str, bot: &BotCard) -> BotShown {
    BotShown {
        game,
        name: bot.name,
        spec: format!("builtin:{}", bot.name),
        rung: bot.rung,
        version: bot.version,
        description: bot.description,
        signature: format!("{:016x}", bot.signature),
        thinks: bot.thinks,
    }
}
