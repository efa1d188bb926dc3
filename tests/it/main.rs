//! Drives the daemon and its verbs as users do, and holds the house rules.

#![allow(clippy::unwrap_used)]

mod app;
mod arbiter;
mod bots;
mod bots_compare;
mod browser;
mod cli;
mod config;
mod daemon;
mod database;
mod explain;
mod failures;
mod guides;
mod hub;
mod isolation;
mod joined;
mod kept;
mod lighthouses;
mod limits;
mod links;
mod listeners;
mod native;
mod openapi;
mod operating;
mod packages;
mod packaging;
mod partings;
mod planetwars;
mod play_from;
mod practice;
mod rate;
mod referee;
mod replays;
mod seats;
mod secrets;
mod shims;
mod stopping;
mod takeover;
mod tidy;
mod tokens;
mod tournament;
mod urls;
mod watching;
mod zoo;
