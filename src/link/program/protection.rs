//! What protects from a program, and which of it holds.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The protection that isolation is.
pub(super) const ISOLATION: &str = "isolation";

/// The protection that limits memory.
pub const MEMORY: &str = "memory";

/// All protections, in the order in which they are listed.
pub(super) const ALL: &[&str] = &[
    ISOLATION,
    "processes",
    "proc",
    "files",
    "network",
    "scratch",
    "rights",
    "sockets",
    "ipc",
    "calls",
    MEMORY,
];

/// What no kernel does without a cgroup.
pub const NO_CGROUP: &str = "without a cgroup each process of a program has its limit; all together, with the files in \
                             their scratch folder and what their pipes and sockets may hold, are looked at once a \
                             second, and ended when they have taken more";

/// A protection of programs from which this machine may have something missing.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Protection {
    /// What it protects: `isolation`, `processes`, `proc`, `files`, `network`, `scratch`, `rights`, `sockets`, `ipc`,
    /// `calls`, `memory`.
    pub name: String,
    /// Why it does not hold; `None` if it does.
    pub missing: Option<String>,
}

/// Protections that hold, by their places among all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Held(u16);

impl Held {
    /// Those of these that hold.
    #[must_use]
    pub fn from_protections(protections: &[Protection]) -> Self {
        let held = protections.iter().filter(|known| known.missing.is_none());
        Self(held.fold(0, |held, known| held | bit(&known.name)))
    }

    /// Whether this one does.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.0 & bit(name) != 0
    }
}

fn bit(name: &str) -> u16 {
    let at = ALL.iter().position(|known| *known == name);
    at.map_or(0, |at| 1 << at)
}

impl fmt::Display for Held {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held: Vec<&str> = ALL.iter().copied().filter(|name| self.has(name)).collect();
        out.write_str(&held.join(","))
    }
}

impl From<Held> for String {
    fn from(held: Held) -> Self {
        held.to_string()
    }
}

/// A name that no protection has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no protection {0:?}; there are: {all}", all = ALL.join(", "))]
pub struct NoProtection(String);

/// Why a protection does not hold, as a sentence.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unprotected(String);

impl Unprotected {
    pub(super) fn new(why: impl fmt::Display) -> Self {
        Self(why.to_string())
    }

    /// The reason at this path.
    pub(super) fn at(path: &Path, why: impl fmt::Display) -> Self {
        Self(format!("{}: {why}", path.display()))
    }
}

impl TryFrom<String> for Held {
    type Error = NoProtection;

    fn try_from(text: String) -> Result<Self, NoProtection> {
        text.parse()
    }
}

impl FromStr for Held {
    type Err = NoProtection;

    fn from_str(text: &str) -> Result<Self, NoProtection> {
        let mut names = text.split(',').filter(|name| !name.is_empty());
        names.try_fold(Self(0), |held, name| match bit(name) {
            0 => Err(NoProtection(name.to_owned())),
            bit => Ok(Self(held.0 | bit)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_is_reported_to_the_guard() {
        let named = |name: &str, missing: Option<&str>| Protection {
            name: name.to_owned(),
            missing: missing.map(str::to_owned),
        };
        let held = Held::from_protections(&[
            named("files", None),
            named("network", Some("UDP")),
            named(ISOLATION, None),
        ]);
        assert_eq!(held.to_string(), "isolation,files");
        assert_eq!("isolation,files".parse(), Ok(held));
        assert_eq!("".parse(), Ok(Held::default()));
        assert!(held.has("files") && !held.has("network") && !held.has("other"));
        let named = "files,magic".parse::<Held>().unwrap_err();
        assert_eq!(named, NoProtection("magic".to_owned()));
    }
}
