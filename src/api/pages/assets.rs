//! The files that pages load: compiled in, with strong tags.

use crate::api::problem::Problem;
use crate::api::response;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;

/// Each file's name, type and content.
const ASSETS: &[(&str, &str, &str)] = &[
    ("app.css", "text/css", include_str!("assets/app.css")),
    ("app.js", "text/javascript", include_str!("assets/app.js")),
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
    Ok(response::tagged(&headers, true, kind, (*body).to_owned()))
}
