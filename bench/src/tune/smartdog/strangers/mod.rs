//! Players outside the ladder, written from what is known of other authors' programs: one that raids pens, one that
//! herds and robs, one that guards. They are not fresh rivals: the champion's weights were chosen against the robber, and
//! `champion/greedy.rs`, which rivals are expected to play by, holds the numbers of `aim.rs`.

mod aim;
mod memory;
mod ply;

pub(crate) use ply::stranger;
