//! `--store`: the database that a verb opens.

use crate::config::{Flags, Location, STORE_FLAG};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Reads what `--store` names. What it cannot read is not repeated: it may hold a password.
#[derive(Clone, Debug)]
pub(super) struct StoreParser;

impl TypedValueParser for StoreParser {
    type Value = Location;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Location, clap::Error> {
        let read = match value.to_str() {
            Some(text) => Location::read(text),
            None => Some(Location::File(value.into())),
        };
        read.ok_or_else(|| {
            let why = "--store names neither a file nor postgres://USER:PASSWORD@HOST/DATABASE";
            command.clone().error(ErrorKind::ValueValidation, why)
        })
    }
}

/// Which database is opened instead of the configured one.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct StoreArg {
    /// The database: a file, or a server's address (postgres://USER:PASSWORD@HOST/DATABASE). The default is the configured
    /// one (store.path or store.url).
    #[arg(long, global = true, value_name = "PATH|URL", value_parser = StoreParser)]
    store: Option<Location>,
}

impl StoreArg {
    /// Whether one is named.
    pub(super) const fn is_given(&self) -> bool {
        self.store.is_some()
    }

    /// What that sets in the configuration.
    pub(super) fn flags(&self) -> Flags {
        self.store.as_ref().map_or_else(Flags::new, store_flags)
    }
}

/// What `--store` sets in the configuration.
pub(super) fn store_flags(store: &Location) -> Flags {
    let (path, url) = match store {
        Location::File(path) => (Some(path), String::new()),
        Location::Server(server) => (None, server.url.to_string()),
    };
    let path = path.map(|path| path.to_string_lossy().into_owned());
    let path = path.map(|path| (STORE_FLAG, "store.path", path));
    path.into_iter()
        .chain([(STORE_FLAG, "store.url", url)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::StoreArg;
    use crate::config::{Environment, Location, load};
    use std::path::Path;

    #[test]
    fn what_is_named_wins_over_what_is_configured() {
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let environment: Environment = vec![
            set("DROVER__STORE__PATH", "mine/configured.db"),
            set("DROVER__STORE__URL", "postgres://drover@db/arena"),
        ];
        let config = |store: Option<&str>| {
            let store = store.map(|store| Location::read(store).unwrap());
            load(None, &environment, &StoreArg { store }.flags())
                .unwrap()
                .config
        };
        let server = |url| Location::read(url).unwrap();
        for (store, expected) in [
            (None, server("postgres://drover@db/arena")),
            (Some("some.db"), Location::File("some.db".into())),
            (Some("/tmp/a b.db"), Location::File("/tmp/a b.db".into())),
            (Some("sqlite:some.db"), Location::File("some.db".into())),
            (
                Some("postgres://drover:hush@db/other"),
                server("postgres://drover:hush@db/other"),
            ),
        ] {
            let config = config(store);
            assert_eq!(config.store.location(), expected, "{store:?}");
            // What practice has stored is served with the bots that have played.
            assert_eq!(config.bots.folder, Path::new("mine/bots"), "{store:?}");
        }
    }
}
