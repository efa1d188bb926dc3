//! `bench soak`: keeps many lines to hubs that are killed, stalled, cut and fed garbage, and
//! looks whether every game is accounted for and nothing leaks.

mod proxy;
mod run;
mod sample;

pub(crate) use run::{SoakArgs, run};
