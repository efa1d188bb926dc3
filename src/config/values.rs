//! Values of keys that have a type of their own.

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use utoipa::ToSchema;

/// What a commit must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// A power cut: the log is synced before the answer leaves.
    Power,
    /// The end of the process, not of the machine: the log is not synced.
    Process,
}

impl Durability {
    /// The word stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Durability::Power => "power",
            Durability::Process => "process",
        }
    }
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// A text that is never printed; empty means none.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself, if there is one.
    #[must_use]
    pub fn reveal(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&*self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_empty() { "none" } else { "***" })
    }
}

/// Which players a referee calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Those on the public internet.
    pub public: bool,
    /// Those in these networks.
    pub networks: Vec<IpNet>,
}

/// An invalid item in a list of targets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an address such as 192.168.0.7, a network such as 10.0.0.0/8 or the word public"
)]
pub struct NoTarget(String);

impl Targets {
    /// Reads addresses, networks and the word `public`.
    ///
    /// # Errors
    /// [`NoTarget`] naming the invalid item.
    pub fn parse<'a>(items: impl IntoIterator<Item = &'a str>) -> Result<Self, NoTarget> {
        let mut targets = Self::default();
        for item in items {
            match parse_network(item) {
                Some(network) => targets.networks.push(network),
                None if item == "public" => targets.public = true,
                None => return Err(NoTarget(item.to_owned())),
            }
        }
        Ok(targets)
    }
}

/// Reads `HOST:PORT`, where the host is an IP address or `localhost`.
pub(super) fn parse_address(text: &str) -> Option<SocketAddr> {
    match text.strip_prefix("localhost:") {
        Some(port) => Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().ok()?))),
        None => text.parse().ok(),
    }
}

/// Reads a network such as `10.0.0.0/8`, or one address.
pub(super) fn parse_network(text: &str) -> Option<IpNet> {
    let one = |text: &str| Some(text.parse::<IpAddr>().ok()?.to_canonical().into());
    text.parse().ok().or_else(|| one(text))
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn secrets_do_not_show() {
        assert_eq!(
            format!("{:?}", Secret::new("open sesame".to_owned())),
            "***"
        );
        assert_eq!(format!("{:?}", Secret::default()), "none");
    }
}
