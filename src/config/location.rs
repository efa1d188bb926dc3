//! [`Location`]: where a database is.

use std::fmt;
use std::path::{Path, PathBuf};
use url::Url;

/// Where a database is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// An SQLite file.
    File(PathBuf),
    /// A database of a PostgreSQL server.
    Server(Server),
}

/// A database of a PostgreSQL server. Shown without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`, as other programs of PostgreSQL have it.
    pub url: Url,
}

impl Server {
    /// Whether its connections keep statements prepared: unless the address ends in `statement-cache-capacity=0`, for a
    /// pooler that shares connections by transactions.
    #[must_use]
    pub fn prepares(&self) -> bool {
        let mut options = self.url.query_pairs();
        !options.any(|(name, value)| name == "statement-cache-capacity" && value == "0")
    }
}

impl Location {
    /// Reads `postgres://…`, `sqlite:PATH` or a path; `None` if it is empty or no such address.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            let url = Url::parse(text).ok()?;
            return Some(Self::Server(Server { url }));
        }
        let path = text.strip_prefix("sqlite:").unwrap_or(text);
        let path = path.strip_prefix("//").unwrap_or(path);
        (!path.is_empty() && !path.contains("://")).then(|| Self::File(path.into()))
    }

    /// The file, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }
}

/// A path is that of a file; an address is to be [read](Location::read).
impl<T: Into<PathBuf>> From<T> for Location {
    fn from(path: T) -> Self {
        Self::File(path.into())
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(server) => server.fmt(f),
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.url.clone();
        // Neither can fail for an address with a host; without one there is nothing to hide.
        let _ = shown.set_password(None);
        shown.set_query(None);
        shown.fmt(f)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::Location;

    #[test]
    fn a_file_has_a_short_form_and_a_server_never_shows_its_password() {
        let file = Some(Location::from("data/drover.db"));
        for text in [
            "data/drover.db",
            "sqlite:data/drover.db",
            "sqlite://data/drover.db",
        ] {
            assert_eq!(Location::read(text), file, "{text}");
        }
        for text in ["", "sqlite:", "mysql://a/b", "postgres://[/b"] {
            assert_eq!(Location::read(text), None, "{text}");
        }
        let url = "postgresql://drover:hush@db.example:5433/arena?password=hush&sslmode=require";
        let server = Location::read(url).unwrap();
        assert_eq!(
            (server.to_string(), format!("{server:?}")),
            (
                "postgresql://drover@db.example:5433/arena".to_owned(),
                "Server(postgresql://drover@db.example:5433/arena)".to_owned()
            )
        );
        assert_eq!(server.file(), None);
    }
}
