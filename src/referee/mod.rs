//! Runs games.
