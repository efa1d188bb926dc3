//! What all pages have in common: their frame, and the headers that say what a browser may do with them.

use crate::api::problem::Problem;
use askama::Template;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Nothing but this listener's own files, no scripts or styles in the page itself; who may frame it follows.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors";

/// Where that cannot be said.
const BARE_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, HeaderValue); 3] = [
    (
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    ),
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    ),
];

/// Where the navigation leads: path and name.
const PLACES: [(&str, &str); 8] = [
    ("/", "Start"),
    ("/dashboard", "Dashboard"),
    ("/matches", "Matches"),
    ("/bots", "Bots"),
    ("/opponents", "Opponents"),
    ("/tournaments", "Tournaments"),
    ("/hubs", "Hubs"),
    ("/docs", "Guides"),
];

/// Those that need a token, even where everybody may read.
const FOR_TOKENS: [&str; 2] = ["/dashboard", "/hubs"];

/// The frame of one page.
#[derive(Debug, Default)]
pub(super) struct Shell {
    /// What the page is about, for its title.
    pub(super) title: String,
    /// Its place in the navigation: that one's path, or empty.
    pub(super) here: &'static str,
    /// Who looks at it, in words; empty if nobody was admitted.
    pub(super) who: String,
    /// Whether the caller has shown no token, and reads what everybody may.
    pub(super) public: bool,
    /// Whether the caller is an admin.
    pub(super) admin: bool,
    /// Whether the caller came in by the form, and can leave.
    pub(super) signed_in: bool,
    /// The stream of events to follow while the page is open, if it shows what may change.
    pub(super) follow: Option<String>,
    /// How often it is looked at besides that, in seconds, if it shows what no event reports.
    pub(super) every_s: Option<u32>,
}

impl Shell {
    /// The navigation: path, name, and whether the page is there.
    pub(super) fn places(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        let places = PLACES.iter().filter(|(path, _)| {
            // Nobody is shown the way to what they are refused.
            !self.public || !FOR_TOKENS.contains(path)
        });
        places.map(|(path, name)| (*path, *name, *path == self.here))
    }

    /// The version of this program.
    pub(super) fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

/// A page with this status, for no frame.
pub(super) fn page(status: StatusCode, template: &impl Template) -> Response {
    rendered(status, "'none'", template)
}

/// A page that these sites may show in a frame.
pub(super) fn framed(sites: &[String], template: &impl Template) -> Result<Response, Problem> {
    let sites = match sites {
        [] => "'none'".to_owned(),
        sites => sites.join(" "),
    };
    Ok(rendered(StatusCode::OK, &sites, template))
}

fn rendered(status: StatusCode, framed_by: &str, template: &impl Template) -> Response {
    let policy = HeaderValue::try_from(format!("{POLICY} {framed_by}"));
    let policy = policy.unwrap_or(HeaderValue::from_static(BARE_POLICY));
    let policy = [(header::CONTENT_SECURITY_POLICY, policy)];
    match template.render() {
        Ok(body) => (status, HEADERS, policy, body).into_response(),
        Err(error) => {
            Problem::unavailable(format!("the page cannot be shown: {error}")).into_response()
        }
    }
}

/// A page as asked for.
pub(super) fn shown(template: &impl Template) -> Result<Response, Problem> {
    Ok(page(StatusCode::OK, template))
}
