//! What protects from users' programs on this machine, and what of it must hold whenever one is started.

use super::becoming::Becoming;
use super::confinement::Confinement;
use super::guard::tried;
use super::orders::Orders;
use std::fmt;
use std::str::FromStr;

/// The protection that isolation is.
pub(super) const ISOLATION: &str = "isolation";
/// The protection that limits memory.
pub const MEMORY: &str = "memory";
/// All protections, in the order in which they are told.
const ALL: &[&str] = &[
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
    pub fn of(protections: &[Protection]) -> Self {
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

impl TryFrom<String> for Held {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Held {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut names = text.split(',').filter(|name| !name.is_empty());
        names.try_fold(Self(0), |held, name| match bit(name) {
            0 => Err(format!(
                "there is no protection {name:?}; there are: {}",
                ALL.join(", ")
            )),
            bit => Ok(Self(held.0 | bit)),
        })
    }
}

/// Which protections of users' programs hold on this machine, where programs are isolated from each other or,
/// for this reason, are not. The executable must have the [`super::VERB`].
#[must_use]
pub fn protections(no_isolation: Option<String>) -> Vec<Protection> {
    let tried = tried(&Orders {
        isolates: no_isolation.is_none(),
        probes: true,
        becoming: Becoming {
            isolated: no_isolation.is_none(),
            processes: Some(64),
            confinement: Some(Confinement {
                scratch_mib: 1,
                ..Confinement::default()
            }),
            ..Becoming::default()
        },
        ..Orders::default()
    });
    let (told, failed) = match tried {
        Ok(tried) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            let failed = (!tried.status.success()).then(|| text(&tried.stderr));
            (text(&tried.stdout), failed)
        }
        Err(why) => (String::new(), Some(why.to_string())),
    };
    let why = |name: &str| {
        let mut lines = told.lines().filter_map(|line| line.split_once('\t'));
        let line = lines.find(|(known, _)| *known == name);
        line.map(|(_, why)| why.to_owned())
            .or_else(|| failed.clone())
    };
    let protection = |name: &&str| Protection {
        name: (*name).to_owned(),
        missing: match *name {
            ISOLATION => no_isolation.clone(),
            MEMORY => Some(why(MEMORY).unwrap_or_else(|| NO_CGROUP.to_owned())),
            name => why(name),
        },
    };
    ALL.iter().map(protection).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_is_told_to_the_guard() {
        let told = |name: &str, missing: Option<&str>| Protection {
            name: name.to_owned(),
            missing: missing.map(str::to_owned),
        };
        let held = Held::of(&[
            told("files", None),
            told("network", Some("UDP")),
            told(ISOLATION, None),
        ]);
        assert_eq!(held.to_string(), "isolation,files");
        assert_eq!("isolation,files".parse(), Ok(held));
        assert_eq!("".parse(), Ok(Held::default()));
        assert!(held.has("files") && !held.has("network") && !held.has("other"));
        let told = "files,magic".parse::<Held>().unwrap_err();
        assert!(
            told.starts_with("there is no protection \"magic\""),
            "{told}"
        );
    }
}
