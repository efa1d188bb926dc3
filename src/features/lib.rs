//! No code: its manifest unites the features of the crates that the packages of Drover share.
