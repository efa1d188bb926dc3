//! The ladder of built-in players, weakest first, one file each, and the champion above them.
//! What was tried and measured: README.md.
