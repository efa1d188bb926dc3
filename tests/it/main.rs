//! Drives the daemon.

#![allow(clippy::unwrap_used)]

mod referee;
