//! The built-in bots, and users' bots that have played.

use super::asked::Asked;
use super::lists::Rows;
use super::problem::Problem;
use super::query::{ByGame, Params, Sparse};
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use crate::history::{self, BotRecord};
use axum::extract::Path;
use axum::response::Response;
use games::BotCard;
use games::neutral::{PREFIX, is_meant};
use games::stats::ClusteredMean;
use serde::Serialize;
use utoipa::ToSchema;

/// A bot: a built-in one, or a version of a user's.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Bot)]
pub(super) struct BotShown {
    /// The game that it plays.
    #[schema(example = "koehandel")]
    pub game: &'static str,
    /// Its name; of a user's bot the same as its spec.
    #[schema(example = "champion")]
    pub name: String,
    /// How a seat names it; of a user's bot, `bot:NAME@VERSION`.
    #[schema(example = "builtin:champion")]
    pub spec: String,
    /// Its rung on the game's ladder, weakest 1; `null` for a user's.
    pub rung: Option<u8>,
    /// Raised whenever its play changes; `null` for a user's.
    pub version: Option<u32>,
    /// How it plays.
    pub description: &'static str,
    /// 16 hexadecimal digits that change only when its play changes; `null` for a user's.
    #[schema(example = "00f1c9a95b1fd1c7", pattern = "^[0-9a-f]{16}$")]
    pub signature: Option<String>,
    /// Whether it uses a thinking budget; `null` for a user's.
    pub thinks: Option<bool>,
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

impl BotResults {
    /// Of a bot that has this record.
    pub(super) fn new(bot: BotShown, record: &BotRecord) -> Self {
        let matches = record.won + record.tied + record.lost;
        let share = (matches > 0).then(|| ClusteredMean::from(record.share));
        let interval = share.map(|share| share.share_interval());
        Self {
            bot,
            matches,
            won: record.won,
            tied: record.tied,
            lost: record.lost,
            win_share: share.map(|share| share.value()),
            win_share_low: interval.map(|(low, _)| low),
            win_share_high: interval.map(|(_, high)| high),
        }
    }
}

/// One of the built-in bots with its results.
#[utoipa::path(get, path = "/api/v1/bots/{game}/{bot}", params(Sparse), responses((status = 200, body = BotResults)))]
pub(super) async fn one(
    Path((game, bot)): Path<(String, String)>,
    asked: Asked,
) -> Result<Response, Problem> {
    asked.answer(false, &find(&asked, &game, &bot).await?)
}

/// One bot with its results.
pub(super) async fn find(reader: &Reader, game: &str, bot: &str) -> Result<BotResults, Problem> {
    let bot = find_shown(reader, game, bot).await?;
    let open_us = reader.sight.open_us();
    let record = history::bot_record(reader.state.store.reader(), game, &bot.name, open_us).await?;
    Ok(BotResults::new(bot, &record))
}

/// The bot of this name: built in, or a user's that has played in this version or, without one, in any.
pub(super) async fn find_shown(
    reader: &Reader,
    game: &str,
    bot: &str,
) -> Result<BotShown, Problem> {
    let unknown = || Problem::not_found(format!("there is no bot {bot} of {game}"));
    let kit = games::find(game).ok_or_else(unknown)?;
    if let Some(card) = kit.card().bots.iter().find(|card| card.name == bot) {
        return Ok(shown(kit.card().name, card));
    }
    let played = match bot.starts_with(PREFIX) {
        true => history::programs_played(reader.state.store.reader(), Some(game)).await?,
        false => Vec::new(),
    };
    let mut played = played.into_iter();
    let found = played.find(|(_, played)| is_meant(bot, played));
    found.map_or_else(
        || Err(unknown()),
        |_| Ok(users(kit.card().name, bot.to_owned())),
    )
}

/// The bots of all games, or of one: of each game the built-in ones, and users' that have played.
pub(super) struct Bots;

impl Rows for Bots {
    type Item = BotShown;
    type Filters = ByGame;

    async fn page(reader: &Reader, params: &Params<ByGame>) -> Paged<BotShown> {
        let at = params.page_or_all()?;
        let wanted = params.filters.game.as_deref();
        let played = history::programs_played(reader.state.store.reader(), wanted).await?;
        let kits = games::ALL.iter();
        let kits = kits.filter(|kit| params.filters.has(kit.card().name));
        let bots = kits.flat_map(|kit| {
            let game = kit.card().name;
            let built_in = kit.card().bots.iter().map(move |bot| shown(game, bot));
            let played = played.iter().filter(move |(of, _)| of == game);
            built_in.chain(played.map(move |(_, bot)| users(game, bot.clone())))
        });
        Listed::cut(bots, &at)
    }
}

/// A user's bot, in one version or all.
fn users(game: &'static str, name: String) -> BotShown {
    BotShown {
        game,
        spec: name.clone(),
        name,
        rung: None,
        version: None,
        description: "A user's program.",
        signature: None,
        thinks: None,
    }
}

fn shown(game: &'static str, bot: &BotCard) -> BotShown {
    BotShown {
        game,
        name: bot.name.to_owned(),
        spec: format!("builtin:{}", bot.name),
        rung: Some(bot.rung),
        version: Some(bot.version),
        description: bot.description,
        signature: Some(format!("{:016x}", bot.signature)),
        thinks: Some(bot.thinks),
    }
}
