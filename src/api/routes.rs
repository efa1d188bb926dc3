//! Every route of the API, on one page.

use super::document::{Access, Routes, describe};
use super::matches::{self, Matches};
use super::opponents::{self, Opponents};
use super::problem::{self, Problem};
use super::sessions::{self, Sessions};
use super::state::ApiState;
use super::tokens::{self, TokenList};
use super::tournaments::{self, Crosstable, Schedule, Tournaments};
use super::{
    all_facts, auth, bluffs, bots, drain, entries, events, explain, facts, health, history, hubs,
    lateness, ledger, pages, programs, prune, rated, replays, response, results, rivals, seats,
    versus,
};
use axum::Router;
use axum::extract::Request;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode, Uri, Version};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use std::sync::LazyLock;
use std::time::Duration;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate as _};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;
use utoipa::ToSchema;
use utoipa_axum::routes;

/// The time limit for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// The most bytes in a request's body.
const BODY_LEN_MAX: usize = 64 * 1024;

/// The routes that need no access.
fn open() -> Routes {
    Routes::new(Access::Anyone)
        .add(routes!(health::alive))
        .add(routes!(health::ready))
        .add(routes!(show))
}

/// The routes of callers that may read.
fn for_readers() -> Routes {
    Routes::new(Access::Reader)
        .list::<bots::Bots>("/bots", "The built-in bots.")
        .add(routes!(bots::one))
        .list::<Sessions>("/sessions", "Sessions, newest first.")
        .add(routes!(sessions::one))
        .list::<Matches>("/matches", "Matches, newest first.")
        .add(routes!(matches::one))
        .list::<results::Results>("/results", "Results, one row a seat, newest match first.")
        .list::<entries::Entries>(
            "/matches/{id}/entries",
            "A match's transcripts, in the order in which their entries were stored.",
        )
        .add(routes!(events::of_match))
        .add(routes!(events::all))
        .add(routes!(replays::steps))
        .add(routes!(explain::one))
        .list::<explain::Decisions>(
            "/matches/{id}/seats/{seat}/decisions",
            "The decisions of our bot on a seat, in the order of the match.",
        )
        .list::<versus::OfBot>(
            "/bots/{game}/{bot}/versus",
            "A bot's record against each rival, the most frequent one first.",
        )
        .add(routes!(versus::opponent))
        .list::<versus::OfOpponent>(
            "/opponents/{id}/versus",
            "Each of our bots' record against an opponent, as a list.",
        )
        .list::<facts::Facts>("/matches/{id}/facts", "The facts of a match, in order.")
        .list::<all_facts::AllFacts>(
            "/facts",
            "What happened in matches that are over, each once, with names and seats: auctions, trades, bluffs. Newest match \
             first, each match in its order.",
        )
        .list::<ledger::Ledger>(
            "/matches/{id}/ledger",
            "How long each decision of a match took, the oldest first.",
        )
        .list::<programs::ProgramRuns>(
            "/matches/{id}/programs",
            "How user bots' programs behaved in a match, once they have ended.",
        )
        .list::<lateness::Summaries>(
            "/ledger",
            "The newest decisions, summed up by game and by what `by` names: 10,000 of them all, or 100,000 of those that \
             filters choose.",
        )
        .list::<hubs::ToHubs>("/hubs", "Our connections to hubs.")
        .list::<bluffs::Bluffs>("/bluffs", "The bluff history, newest first.")
        .list::<Opponents>("/opponents", "Opponents of which a model is kept.")
        .add(routes!(opponents::model))
        .list::<history::History>(
            "/opponents/{id}/history",
            "What was learnt about an opponent in which match, newest first.",
        )
        .list::<Tournaments>("/tournaments", "Tournaments, newest first.")
        .add(routes!(tournaments::one))
        .add(routes!(tournaments::standings))
        .list::<Crosstable>(
            "/tournaments/{id}/crosstable",
            "Each pair's results, in the order of the standings.",
        )
        .list::<Schedule>(
            "/tournaments/{id}/schedule",
            "The rounds in order, each with its matches that have ended.",
        )
        .add(routes!(tournaments::ratings))
        .list::<rated::NewestRatings>("/ratings", "Ratings by the newest tournament of each game.")
        .add(routes!(health::metrics))
}

/// The routes of admins alone.
fn for_admins() -> Routes {
    Routes::new(Access::Admin)
        .add(routes!(drain::begin))
        .add(routes!(prune::begin))
        .add(routes!(seats::name))
        .add(routes!(rivals::name))
        .list::<TokenList>(
            "/tokens",
            "Tokens that have not been revoked, oldest first.",
        )
        .add(routes!(tokens::add))
        .add(routes!(tokens::revoke))
}

static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}", document()));

/// The OpenAPI 3.1 document of the REST interface.
#[must_use]
pub fn document() -> Value {
    describe([open(), for_readers(), for_admins()])
}

/// An OpenAPI document.
#[derive(ToSchema)]
struct Document {
    /// Its version of OpenAPI.
    #[allow(dead_code)]
    #[schema(example = "3.1.0")]
    openapi: String,
}

/// The OpenAPI document of this interface.
#[utoipa::path(get, path = "/openapi.json", responses((status = 200, body = Document)))]
async fn show() -> Response {
    ([(CONTENT_TYPE, response::JSON)], TEXT.as_str()).into_response()
}

/// All routes over this state.
pub fn router(state: ApiState) -> Router {
    let admit = from_fn_with_state(state.clone(), auth::admit);
    let for_admins = for_admins()
        .router()
        .route_layer(from_fn(auth::admins_only));
    let guarded = for_readers()
        .router()
        .merge(for_admins)
        .merge(pages::admitted())
        .route_layer(admit);
    let at_rest = |_: StatusCode, _: Version, _: &HeaderMap, marks: &Extensions| {
        marks.get::<response::Live>().is_none()
    };
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(at_rest));
    let all = open()
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
        .with_state(state);
    // Outside: a router sets `Allow` after all of its own layers.
    Router::new()
        .fallback_service(all)
        .layer(from_fn(say_methods))
}

async fn no_such_path(uri: Uri) -> Problem {
    Problem::not_found(format!("there is nothing at {}", uri.path()))
}

/// Answers `OPTIONS` on every path with the methods that the path takes.
async fn say_methods(request: Request, next: Next) -> Response {
    let asked = request.method() == Method::OPTIONS;
    let mut response = next.run(request).await;
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    let methods = response.headers().get(ALLOW);
    let methods = methods.and_then(|methods| methods.to_str().ok());
    let methods = format!("{},OPTIONS", methods.unwrap_or_default());
    if asked {
        let methods = methods.replace(',', ", ");
        return (StatusCode::NO_CONTENT, [(ALLOW, methods)]).into_response();
    }
    if let Ok(methods) = HeaderValue::try_from(methods) {
        response.headers_mut().insert(ALLOW, methods);
    }
    response
}
