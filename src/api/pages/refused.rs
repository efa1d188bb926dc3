//! What a browser is shown in place of a problem document.

use super::layout::{Shell, page};
use super::login::Login;
use super::view;
use crate::access::Denied;
use crate::api::problem::Problem;
use crate::api::sight::WITHHELD;
use askama::Template;
use axum::extract::Request;
use axum::http::header::{ACCEPT, ALLOW, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

#[derive(Template)]
#[template(path = "pages/refused.html")]
struct Refused<'a> {
    shell: Shell,
    problem: &'a Problem,
    /// What is wrong, for people.
    detail: &'a str,
}

/// Turns the problem that a browser would get into a page; at the door, into the form that lets it in. The
/// API's own paths keep their documents.
pub(in crate::api) async fn dress(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let for_people = !path.starts_with("/api/") && takes_pages(request.headers());
    let wanted = request.uri().path_and_query().map(ToString::to_string);
    let response = next.run(request).await;
    let problem = response.extensions().get::<Problem>();
    let (true, Some(problem)) = (for_people, problem) else {
        return response;
    };
    let status = response.status();
    let mut dressed = if status == StatusCode::UNAUTHORIZED {
        // The form below says what to do.
        let missing = problem.detail() == Denied::Missing.to_string();
        let why = if missing { "" } else { problem.detail() };
        page(status, &Login::to(wanted.as_deref(), why))
    } else {
        let shell = Shell {
            title: problem.title().to_owned(),
            ..Shell::default()
        };
        let detail = match problem.detail() {
            WITHHELD => view::WITHHELD,
            detail => detail,
        };
        let refused = Refused {
            shell,
            problem,
            detail,
        };
        page(status, &refused)
    };
    for name in [ALLOW, WWW_AUTHENTICATE] {
        if let Some(value) = response.headers().get(&name) {
            dressed.headers_mut().insert(name, value.clone());
        }
    }
    dressed
}

fn takes_pages(headers: &HeaderMap) -> bool {
    let accept = headers.get_all(ACCEPT).iter();
    let mut accept = accept.filter_map(|value| value.to_str().ok());
    accept.any(|value| value.contains("text/html"))
}
