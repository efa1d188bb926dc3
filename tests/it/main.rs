//! Drives the daemon.

mod referee;
