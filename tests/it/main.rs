//! Drives the daemon.
