//! How far a search looks.

/// The depth and width of a search.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Turns in a plan, from 1 to `DEPTH_MAX`; others count as the nearest of these.
    pub depth: usize,
    /// Positions kept per turn, pass by pass.
    pub widths: &'static [usize],
    /// Whether others are expected to act.
    pub replies: bool,
    /// The share that the values along the way have in a line's value.
    pub trail: f64,
    /// Whether all dogs are first given what is best at once.
    pub draft: bool,
    /// Turns that a line goes on by roles after its plans before it is valued; 0: it ends with them.
    pub horizon: u32,
    /// Whether it is learnt in which turns own commands come first; else the others' do.
    pub turns: bool,
    /// How many of a beam's last lines go on.
    pub finals: usize,
}
