//! Players beside the ladder, written from what is known of other authors' programs: one that raids pens, one that
//! herds and robs, one that guards. Nobody trained against them.

mod aim;
mod memory;
mod ply;

pub(crate) use ply::stranger;
