//! Which players our referee calls.

use crate::config::Targets;
use crate::link::{Allowed, OwnDoor, Reach};
use std::net::SocketAddr;
use std::sync::Arc;

/// Which players our referee calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reaches {
    /// For callers on this machine.
    pub local: Reach,
    /// For all other callers, where that differs.
    pub for_others: Option<Reach>,
}

impl Reaches {
    /// What `allow` lists, our `own` bots, and this machine's loopback if `listens` is a loopback address:
    /// then only callers on this machine come without a proxy, and they reach as much themselves.
    #[must_use]
    pub fn new(allow: &Targets, listens: SocketAddr, own: Vec<OwnDoor>) -> Self {
        let others = Allowed {
            public: allow.public,
            loopback: false,
            networks: allow.networks.clone(),
            own,
        };
        if !listens.ip().to_canonical().is_loopback() {
            return Self {
                local: Reach::Only(Arc::new(others)),
                for_others: None,
            };
        }
        let local = Allowed {
            loopback: true,
            ..others.clone()
        };
        Self {
            local: Reach::Only(Arc::new(local)),
            for_others: Some(Reach::Only(Arc::new(others))),
        }
    }
}
