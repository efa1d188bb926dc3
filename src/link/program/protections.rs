//! What protects from users' programs on this machine, and what of it must hold whenever one is started.

use super::becoming::Becoming;
use super::confinement::Confinement;
use super::guard::tried;
use super::orders::Orders;
use super::protection::{ALL, ISOLATION, MEMORY, NO_CGROUP, Protection};

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
    let (reported, failed) = match tried {
        Ok(tried) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            let failed = (!tried.status.success()).then(|| text(&tried.stderr));
            (text(&tried.stdout), failed)
        }
        Err(why) => (String::new(), Some(why.to_string())),
    };
    let why = |name: &str| {
        let mut lines = reported.lines().filter_map(|line| line.split_once('\t'));
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
