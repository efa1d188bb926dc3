//! The files that pages load: compiled in, with strong tags.

use crate::api::problem::Problem;
use crate::api::response;
use crate::style::STYLE;
use axum::body::Body;
use axum::extract::Path;
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;

/// Each file's name, type and content.
const ASSETS: &[(&str, &str, &str)] = &[
    ("app.css", "text/css", STYLE),
    ("app.js", "text/javascript", include_str!("assets/app.js")),
    (
        "charts.js",
        "text/javascript",
        include_str!("assets/charts.js"),
    ),
    ("player.css", "text/css", include_str!("assets/player.css")),
    (
        "player.js",
        "text/javascript",
        include_str!("assets/player.js"),
    ),
    ("scene.css", "text/css", games::scene::STYLE),
    ("icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
];

/// `GET /static/{name}`
pub(super) async fn asset(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let known = ASSETS.iter().find(|(known, ..)| *known == name);
    let (_, kind, body) =
        known.ok_or_else(|| Problem::not_found(format!("there is no file {name}")))?;
    let tag = response::tag(&[body.as_bytes()]);
    let known = response::known(&headers, &tag);
    let file = || response::dressed(kind, Some(tag), Body::from(*body));
    let mut answer = known.unwrap_or_else(file);
    let nosniff = HeaderValue::from_static("nosniff");
    answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, nosniff);
    Ok(answer)
}
