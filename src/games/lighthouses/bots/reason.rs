//! The rule by which a bot that plays by fixed rules decided.

use std::fmt;

/// The rule that decided. Shown, it is a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reason {
    /// It never does anything, or has nothing to do.
    Nothing,
    /// Chance decided among legal acts.
    Chance,
    /// It links the lighthouse on which it stands, which lights these cells.
    Link { cells: i64 },
    /// It attacks or charges the lighthouse on which it stands; `against` is 0 for its own, and for one that nobody owns.
    Attack { energy: u32, against: u32 },
    /// It steps to the richest cell around, as it has less than it wants.
    Gather { energy: u32, wanted: u32 },
    /// It walks to the lighthouse that it has chosen, on the shortest way.
    Walk { steps: u16 },
    /// It has no goal.
    Stray,
    /// Its plan is to gather first.
    PlanGathers,
    /// Its plan puts energy into the lighthouse on which it stands.
    PlanCharges,
    /// Its plan links the lighthouse on which it stands.
    PlanLinks,
    /// Its plan leads to a lighthouse.
    PlanWalks,
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Nothing => "It has nothing to do.",
            Self::Chance => "Chance decided among the legal acts.",
            Self::Stray => "It reaches no lighthouse that it wants: chance chose the step.",
            Self::PlanGathers => "Its plan is to gather energy first: it steps on the richest walk nearby.",
            Self::PlanCharges => "Its plan is a triangle with a corner here: it gives this corner its part of the energy.",
            Self::PlanLinks => "Its plan is a triangle with a corner here: it links it to another one.",
            Self::PlanWalks => "Its plan is a triangle: it walks to the next corner.",
            Self::Link { cells: 0 } => "It stands where it can link two lighthouses, and always does.",
            Self::Link { cells } => return write!(out, "It can link two lighthouses so that {cells} cells are lit, and does."),
            Self::Attack { energy, against: 0 } => return write!(out, "It has {energy} energy, and no other player holds this lighthouse: it takes or charges it."),
            Self::Attack { energy, against } => return write!(out, "It has {energy} energy, against {against} of this lighthouse: it attacks."),
            Self::Gather { energy, wanted } => return write!(out, "It has {energy} energy and wants {wanted}: it steps to the richest cell around."),
            Self::Walk { steps } => return write!(out, "It walks to the lighthouse that its rules put first; steps on the shortest way: {steps}."),
        })
    }
}
