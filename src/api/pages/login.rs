//! The way in for browsers: a token is exchanged for a pass, which the browser keeps in a cookie that scripts
//! and other sites' pages cannot use, and which opens reading only.

use super::layout::{Shell, page};
use crate::api::auth;
use crate::api::problem::Problem;
use crate::api::query::named;
use crate::api::state::ApiState;
use crate::clock::now_us;
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

/// How long a pass opens, in seconds: 30 days.
const PASS_S: i64 = 30 * 24 * 60 * 60;
/// What a proxy says if it was spoken to in secret.
const FORWARDED_PROTO: &str = "x-forwarded-proto";

#[derive(Template)]
#[template(path = "pages/login.html")]
pub(super) struct Login {
    shell: Shell,
    /// Where to go next.
    next: String,
    /// Why the caller is here, or empty.
    why: String,
}

impl Login {
    /// The form that leads to this path.
    pub(super) fn to(next: Option<&str>, why: impl Into<String>) -> Self {
        Self {
            shell: Shell {
                title: "Sign in".to_owned(),
                ..Shell::default()
            },
            next: own_path(next).to_owned(),
            why: why.into(),
        }
    }
}

/// `GET /login?next=PATH`
pub(super) async fn ask(RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let query = query.as_deref().unwrap_or_default();
    let params = named(query, ["next"].into_iter())?;
    let login = Login::to(params.get("next").map(String::as_str), "");
    Ok(page(StatusCode::OK, &login))
}

/// `POST /login` with the fields `token` and `next`.
pub(super) async fn enter(
    State(state): State<ApiState>,
    headers: HeaderMap,
    body: String,
) -> Result<Response, Problem> {
    let fields = named(&body, ["token", "next"].into_iter())?;
    let given = |name: &str| fields.get(name).map(String::as_str);
    let (token, next) = (given("token").unwrap_or_default(), given("next"));
    let until_us = now_us().saturating_add(PASS_S * 1_000_000);
    match state.tokens.pass(token.trim().as_bytes(), until_us) {
        Some(pass) => Ok(sent(own_path(next), &headers, &pass, PASS_S)),
        None => {
            let why = "This token is not known: it is wrong, or it was revoked.";
            let login = Login::to(next, why);
            Ok(page(StatusCode::UNAUTHORIZED, &login))
        }
    }
}

/// `POST /logout`
pub(super) async fn leave(headers: HeaderMap) -> Response {
    sent("/login", &headers, "", 0)
}

/// Sends a browser on, with a pass for `seconds`.
fn sent(to: &str, headers: &HeaderMap, pass: &str, for_s: i64) -> Response {
    let secret_line = headers
        .get(FORWARDED_PROTO)
        .is_some_and(|proto| proto == "https");
    let secure = if secret_line { "; Secure" } else { "" };
    let name = auth::PASS;
    let cookie = format!("{name}={pass}; Path=/; HttpOnly; SameSite=Lax; Max-Age={for_s}{secure}");
    let headers = [(LOCATION, to), (SET_COOKIE, &cookie)];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// One of our paths, if it is one: a form must lead nobody to another site.
fn own_path(next: Option<&str>) -> &str {
    let ours = |path: &&str| {
        path.starts_with('/')
            && !path.starts_with("//")
            && !path.starts_with("/login")
            && !path.contains('\\')
            && path.bytes().all(|byte| byte.is_ascii_graphic())
    };
    next.filter(ours).unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::own_path;

    #[test]
    fn a_form_leads_to_our_own_pages_only() {
        for ours in ["/", "/matches?game=koehandel&bot=a%20b", "/a//b"] {
            assert_eq!(own_path(Some(ours)), ours);
        }
        for foreign in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a\r\nSet-Cookie: x",
            "/login?next=/login",
        ] {
            assert_eq!(own_path(Some(foreign)), "/", "{foreign:?}");
        }
        assert_eq!(own_path(None), "/");
    }
}
