//! Every route of the API, on one page.

use super::endpoint::{Access, Doc, Routes};
use super::health::Status;
use super::matches::{self, MatchShown, Matches};
use super::opponents::{self, OpponentModel, Opponents};
use super::params::{FIELDS, PAGE};
use super::problem::{self, Problem};
use super::rivals::{self, RivalNames, RivalsNamed};
use super::seats::{self, Naming};
use super::sessions::{self, SessionShown, Sessions};
use super::state::ApiState;
use super::tokens::{self, TokenList, Wanted};
use super::tournaments::{self, Crosstable, Ratings, Schedule, TournamentShown, Tournaments};
use super::{
    auth, bluffs, bots, drain, entries, events, explain, facts, health, history, hubs, ledger,
    openapi, pages, programs, prune, rated, replays, response, versus,
};
use crate::access::{Issued, TokenCard};
use crate::store::{FactRow, MatchEntry};
use crate::tournament::standings::Standings;
use axum::Router;
use axum::http::{Extensions, HeaderMap, Method, StatusCode, Uri, Version};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use std::time::Duration;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate as _};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

/// The time limit for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// The most bytes in a request's body.
const BODY_LEN_MAX: usize = 64 * 1024;

/// What anybody may ask.
fn open() -> Routes {
    Routes::new("", Access::Anyone)
        .get(
            "/healthz",
            health::alive,
            Doc::thing::<Status>("Whether the daemon is alive."),
        )
        .get(
            "/readyz",
            health::ready,
            Doc::thing::<Status>("Whether new matches are taken and can be stored."),
        )
        .get(
            "/openapi.json",
            openapi::show,
            Doc::thing::<openapi::Document>("This document."),
        )
}

/// What everybody may ask who may read.
fn for_readers() -> Routes {
    Routes::new("/api/v1", Access::Reader)
        .list::<bots::Bots>("/bots", "The built-in bots.")
        .get(
            "/bots/{game}/{bot}",
            bots::one,
            Doc::thing::<bots::BotResults>("One of the built-in bots with its results.")
                .takes(&[FIELDS]),
        )
        .list::<Sessions>("/sessions", "Sessions, newest first.")
        .get(
            "/sessions/{id}",
            sessions::one,
            Doc::thing::<SessionShown>("One session with its team.").takes(&[FIELDS]),
        )
        .list::<Matches>("/matches", "Matches, newest first.")
        .get(
            "/matches/{id}",
            matches::one,
            Doc::thing::<MatchShown>("One match with its sessions.")
                .takes(&[FIELDS])
                .tagged(),
        )
        .list::<entries::Entries>(
            "/matches/{id}/entries",
            "A match's transcripts, in the order in which their entries were stored.",
        )
        .get(
            "/matches/{id}/events",
            events::of_match,
            Doc::events(
                "A match as it goes on (SSE): `state`, then `entry` and `fact`, at last `end`; `close` says why a stream ends before that.",
            )
            .tells::<events::MatchState>()
            .tells::<MatchEntry>()
            .tells::<FactRow>()
            .tells::<MatchShown>(),
        )
        .get(
            "/events",
            events::all,
            Doc::events(
                "All matches as they begin and end (SSE): `state`, then `match`; `close` says why a stream ends.",
            )
            .tells::<events::AllState>()
            .tells::<MatchShown>(),
        )
        .get(
            "/matches/{id}/replay",
            replays::steps,
            Doc::thing::<replays::Replay>("What was to be seen of a match, step by step.")
                .takes(&[replays::FILTERS, PAGE])
                .refuses(&[410])
                .tagged(),
        )
        .get(
            "/matches/{id}/seats/{seat}/explain",
            explain::one,
            Doc::thing::<explain::Told>("Why a bot of ours decided so, or the decisions it made.")
                .takes(&[explain::FILTERS])
                .refuses(&[403, 409, 410]),
        )
        .list::<explain::Decisions>(
            "/matches/{id}/seats/{seat}/decisions",
            "The decisions of our bot on a seat, in the order of the match.",
        )
        .list::<versus::OfBot>(
            "/bots/{game}/{bot}/versus",
            "A bot's record against each rival, whom it met most often first.",
        )
        .get(
            "/opponents/{id}",
            versus::opponent,
            Doc::thing::<versus::OpponentVersus>("Each of our bots' record against an opponent; of a type, against the built-in bot of that name.")
                .takes(&[FIELDS]),
        )
        .list::<versus::OfOpponent>(
            "/opponents/{id}/versus",
            "Each of our bots' record against an opponent, as a list.",
        )
        .list::<facts::Facts>("/matches/{id}/facts", "The facts of a match, in order.")
        .list::<ledger::Ledger>(
            "/matches/{id}/ledger",
            "How long each decision of a match took, the oldest first.",
        )
        .list::<programs::ProgramRuns>(
            "/matches/{id}/programs",
            "What became of users' programs in a match, once they have ended.",
        )
        .list::<ledger::Summaries>("/ledger", "The newest 10,000 decisions, summed up by game.")
        .list::<hubs::ToHubs>("/hubs", "Our connections to hubs.")
        .list::<bluffs::Bluffs>("/bluffs", "The bluff history, newest first.")
        .list::<Opponents>("/opponents", "Opponents of which a model is kept.")
        .get(
            "/opponents/{id}/model",
            opponents::model,
            Doc::thing::<OpponentModel>("What is known about an opponent.").takes(&[FIELDS]),
        )
        .list::<history::History>(
            "/opponents/{id}/history",
            "What was learnt about an opponent in which match, newest first.",
        )
        .list::<Tournaments>("/tournaments", "Tournaments, newest first.")
        .get(
            "/tournaments/{id}",
            tournaments::one,
            Doc::thing::<TournamentShown>("One tournament.")
                .takes(&[FIELDS])
                .tagged(),
        )
        .get(
            "/tournaments/{id}/standings",
            tournaments::standings,
            Doc::thing::<Standings>("Who is where, with all splits.")
                .takes(&[FIELDS])
                .refuses(&[409])
                .tagged(),
        )
        .list::<Crosstable>(
            "/tournaments/{id}/crosstable",
            "What became of each pair, in the order of the standings.",
        )
        .list::<Schedule>(
            "/tournaments/{id}/schedule",
            "The rounds in order, each with its matches that have ended.",
        )
        .get(
            "/tournaments/{id}/ratings",
            tournaments::ratings,
            Doc::thing::<Ratings>("The ratings and their model.")
                .takes(&[FIELDS])
                .refuses(&[409])
                .tagged(),
        )
        .list::<rated::NewestRatings>("/ratings", "Ratings by the newest tournament of each game.")
}

/// The daemon's figures, for whoever may read.
fn figures() -> Routes {
    let doc = Doc::text("The daemon's figures, for Prometheus.", health::METRICS);
    Routes::new("", Access::Reader).get("/metrics", health::metrics, doc)
}

/// What only admins may do.
fn for_admins() -> Routes {
    Routes::new("/api/v1", Access::Admin)
        .change(
            Method::POST,
            "/drain",
            drain::begin,
            Doc::thing::<Status>("Asks the daemon to stop once its matches have ended.")
                .status(StatusCode::ACCEPTED),
        )
        .change(
            Method::POST,
            "/prune",
            prune::begin,
            Doc::thing::<prune::Pruning>(
                "Gives up what matches that ended long ago hold beside their results.",
            )
            .body::<prune::Wanted>(),
        )
        .change(
            Method::PUT,
            "/matches/{id}/seats/{seat}",
            seats::name,
            Doc::thing::<MatchShown>("Names who sits on a seat.").body::<Naming>(),
        )
        .change(
            Method::PUT,
            "/rivals/{game}/{referee}/{market}",
            rivals::name,
            Doc::thing::<RivalsNamed>(
                "Names rivals in a match at somebody else's referee, before or while it runs: merged by place with \
                 names given before; a name leaves the place where it was.",
            )
            .body::<RivalNames>()
            .refuses(&[409, 503]),
        )
        .list::<TokenList>(
            "/tokens",
            "Tokens that have not been revoked, oldest first.",
        )
        .change(
            Method::POST,
            "/tokens",
            tokens::add,
            Doc::thing::<Issued>("Makes a token.")
                .body::<Wanted>()
                .status(StatusCode::CREATED),
        )
        .change(
            Method::DELETE,
            "/tokens/{which}",
            tokens::revoke,
            Doc::thing::<TokenCard>("Revokes a token: the next request with it is refused."),
        )
}

/// All routes with their descriptions.
pub(super) fn all() -> [Routes; 4] {
    [open(), for_readers(), figures(), for_admins()]
}

/// All routes over this state.
pub fn router(state: ApiState) -> Router {
    let admit = from_fn_with_state(state.clone(), auth::admit);
    let for_admins = for_admins()
        .router()
        .route_layer(from_fn(auth::admins_only));
    let guarded = for_readers()
        .router()
        .merge(figures().router())
        .merge(for_admins)
        .merge(pages::admitted())
        .route_layer(admit);
    let at_rest = |_: StatusCode, _: Version, _: &HeaderMap, marks: &Extensions| {
        marks.get::<response::Live>().is_none()
    };
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(at_rest));
    open()
        .router()
        .merge(guarded)
        .merge(pages::open())
        .fallback(no_such_path)
        .layer(TimeoutLayer::with_status_code(
            StatusCode::GATEWAY_TIMEOUT,
            ANSWER_WITHIN,
        ))
        .layer(RequestBodyLimitLayer::new(BODY_LEN_MAX))
        .layer(map_response(problem::dress))
        .layer(from_fn(pages::dress))
        .layer(map_response(auth::keep_apart))
        .layer(compression)
        .layer(map_response(response::tag_encoded))
        .with_state(state)
}

async fn no_such_path(uri: Uri) -> Problem {
    Problem::not_found(format!("there is nothing at {}", uri.path()))
}
