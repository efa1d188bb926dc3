//! The parameters of a triangle hunter, the bot of rung 6.

use drover_game::knobs;

knobs! {
    /// The parameters of a triangle hunter's play.
    struct Habits;
    /// The parameters of the built-in player.
    const HABITS;
    /// Rounds after which a point is worth a third, when alone.
    patience_alone: f64 = 400.0,
    /// The same with one other player.
    patience_two: f64 = 400.0,
    /// The same with more.
    patience_many: f64 = 400.0,
    /// The value of one other player's lost point.
    rivalry_two: f64 = 0.7,
    /// The value of a point lost by one of several others.
    rivalry_many: f64 = 0.3,
    /// Rounds added to every plan's length.
    overhead: f64 = 2.0,
    /// How much better another plan must be than the current one.
    loyalty: f64 = 1.5,
    /// Energy that every charged corner must have at the end of a plan.
    least_level: f64 = 40.0,
    /// Steps of a walk that gathers.
    gather_steps: f64 = 7.0,
    /// The value of each step of such a walk relative to the one before.
    fade: f64 = 0.9,
    /// Points that a link on the way must bring over its life.
    link_worth: f64 = 60.0,
    /// Rounds between two reconsiderations on the way.
    think_every: f64 = 12.0,
    /// How many triangles are examined closely, the most promising ones.
    subjects: f64 = 100.0,
}

impl Habits {
    pub(super) fn patience(&self, players: usize) -> f64 {
        let patience = match players {
            0 | 1 => self.patience_alone,
            2 => self.patience_two,
            _ => self.patience_many,
        };
        patience.max(1.0)
    }

    pub(super) fn rivalry(&self, players: usize) -> f64 {
        match players {
            0..=2 => self.rivalry_two,
            _ => self.rivalry_many,
        }
    }
}
