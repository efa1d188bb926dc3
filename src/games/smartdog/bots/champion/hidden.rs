//! Where something may stand unseen.

use crate::rules::{Ground, Spot};

/// Cells on which a dog or sheep may stand unseen.
pub(super) struct Hidden<'a> {
    pub(super) ground: &'a Ground,
    /// The cells in sight.
    pub(super) visible: &'a [bool],
    /// The cells on which something stands.
    pub(super) taken: Vec<bool>,
}

impl Hidden<'_> {
    /// Keeps a spot if it is out of sight, open and free, or moves it to the nearest one that is, at most
    /// `stray` steps away along each axis. False if there is none.
    pub(super) fn settle(&mut self, spot: &mut Spot, stray: i32) -> bool {
        let torus = self.ground.torus();
        if !torus.contains(*spot) {
            return false;
        }
        // Rings go round the world at most once on either axis.
        let wide = i32::from(torus.cols()) / 2 + 1;
        let high = i32::from(torus.rows()) / 2 + 1;
        for ring in 0..=stray.min(wide.max(high)) {
            for dx in -ring.min(wide)..=ring.min(wide) {
                let edge = dx.abs() == ring;
                if !edge && ring > high {
                    continue;
                }
                let down = ring.min(high);
                let step = if edge { 1 } else { 2 * ring.max(1) };
                for dy in (-down..=down).step_by(step as usize) {
                    let to = torus.offset(*spot, dx, dy);
                    let at = torus.index(to);
                    if !self.visible[at] && !self.taken[at] && self.ground.land(to).is_open() {
                        self.taken[at] = true;
                        *spot = to;
                        return true;
                    }
                }
            }
        }
        false
    }
}
