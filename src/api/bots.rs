//! The built-in bots.

use super::asked::Asked;
use super::params::Params;
use super::problem::Problem;
use super::response;
use super::shapes::Listed;
use axum::response::Response;
use games::BotCard;
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

/// `GET /api/v1/bots`
pub(super) async fn list(asked: Asked) -> Result<Response, Problem> {
    let params = asked.params(&[&["game"]])?;
    Ok(response::json(&page(&params)?))
}

/// The bots of all games, or of one.
pub(super) fn page(params: &Params) -> Result<Listed<BotShown>, Problem> {
    let wanted = params.game()?;
    let kits = games::ALL.iter();
    let kits = kits.filter(|kit| wanted.as_deref().is_none_or(|game| game == kit.game()));
    let bots = kits.flat_map(|kit| kit.bots().iter().map(|bot| shown(kit.game(), bot)));
    Ok(Listed::all(bots.collect()))
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
