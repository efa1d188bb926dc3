//! How the net learns from what cards brought: steps of Adam, each by the errors of some decisions.

use super::champion::inputs::Features;
use super::champion::net::{Net, WIDE};
use super::champion::policy::{Context, Policy, UNIT};
use super::position::{Layout, Position};

/// Decisions a step.
const BATCH: u32 = 256;
/// Adam's betas: what earlier gradients count in their mean, and in their mean square.
const BETAS: [f32; 2] = [0.9, 0.999];
/// Adam's epsilon: no step divides by 0.
const EPSILON: f32 = 1e-8;

/// A net, and what Adam keeps with it.
pub(super) struct Adam {
    pub(super) net: Net,
    gradient: Net,
    means: Net,
    squares: Net,
    decisions: u32,
    steps: i32,
}

impl Adam {
    pub(super) fn new(net: Net) -> Self {
        Self {
            net,
            gradient: Net::zeros(),
            means: Net::zeros(),
            squares: Net::zeros(),
            decisions: 0,
            steps: 0,
        }
    }

    /// Learns what each of a decision's cards brought, in deal's numbers of cards.
    pub(super) fn learn(
        &mut self,
        policy: &Policy,
        layout: &Layout<u64>,
        position: &Position<u64>,
        brought: &[(u8, f32)],
        rate: f32,
    ) {
        let cards = brought.iter().fold(0, |cards, (card, _)| cards | 1 << card);
        let context = Context::new(layout, position);
        let opinions = policy.opinions(layout, &context, cards);
        let net = &self.net;
        let features = Features::new(layout, position, &context);
        let situation = net.situation(&features);
        let valued: Vec<_> = opinions
            .iter()
            .zip(brought)
            .map(|((card, worth), (_, brought))| {
                let layers = net.card(&features, &situation, *card, *worth as f32 / UNIT);
                let error = layers.opinion + layers.value - brought;
                (layers, error)
            })
            .collect();
        let sum: f32 = valued.iter().map(|(_, error)| error).sum();
        let mean = sum / valued.len().max(1) as f32;
        let mut shared = [0.0; WIDE];
        for (layers, error) in &valued {
            let error = error - mean;
            self.gradient
                .backward(net, &features, layers, error, &mut shared);
        }
        self.gradient.backward_situation(&features, &shared);
        self.decisions += 1;
        if self.decisions == BATCH {
            self.step(rate);
        }
    }

    fn step(&mut self, rate: f32) {
        self.decisions = 0;
        self.steps = self.steps.saturating_add(1);
        let [mean_correction, square_correction] =
            BETAS.map(|memory| 1.0 - memory.powi(self.steps));
        let parts = self
            .net
            .parts_mut()
            .into_iter()
            .zip(self.gradient.parts_mut());
        let moments = self
            .means
            .parts_mut()
            .into_iter()
            .zip(self.squares.parts_mut());
        for ((weights, gradient), (means, squares)) in parts.zip(moments) {
            for at in 0..weights.len() {
                let slope = gradient[at] / BATCH as f32;
                gradient[at] = 0.0;
                means[at] += (1.0 - BETAS[0]) * (slope - means[at]);
                squares[at] += (1.0 - BETAS[1]) * (slope * slope - squares[at]);
                let size = (squares[at] / square_correction).sqrt() + EPSILON;
                weights[at] -= rate * means[at] / mean_correction / size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::position::Mask;
    use crate::cards::Deck;
    use drover_game::game::Seat;
    use drover_game::rng::Rng;

    /// A player of four cards who leads, against three others, and what each card brought.
    struct Decision {
        layout: Layout<u64>,
        position: Position<u64>,
        policy: Policy,
        brought: Vec<(u8, f32)>,
    }

    impl Decision {
        fn new() -> Self {
            let layout = Layout::new(&Deck::contest());
            let mut position = Position::fresh(4, 4, Seat(0));
            for seat in 0..4 {
                let cards = (0..4).map(|at| (seat + 16 * at) as u8);
                position.hands[seat] = cards.fold(0, |hand, card| hand | 1 << card);
                position.need[seat] = seat as i8;
            }
            let mut hand = position.hands[0];
            let mut brought = Vec::new();
            while let Some(card) = hand.pop() {
                brought.push((card, [0.3, -0.8, 1.1, 0.2][brought.len()]));
            }
            Self {
                layout,
                position,
                policy: Policy::new(Vec::new()),
                brought,
            }
        }

        fn learn(&self, adam: &mut Adam, rate: f32) {
            let Self {
                layout, position, ..
            } = self;
            adam.learn(&self.policy, layout, position, &self.brought, rate);
        }

        /// Half the sum of the squared errors, which compare each card with the others.
        fn lost(&self, net: &Net) -> f32 {
            let Self {
                layout, position, ..
            } = self;
            let context = Context::new(layout, position);
            let features = Features::new(layout, position, &context);
            let situation = net.situation(&features);
            let errors = self.brought.iter().map(|(card, brought)| {
                let layers = net.card(&features, &situation, *card, 0.0);
                layers.value - brought
            });
            let errors: Vec<f32> = errors.collect();
            let mean = errors.iter().sum::<f32>() / errors.len() as f32;
            errors
                .iter()
                .map(|error| (error - mean) * (error - mean) / 2.0)
                .sum()
        }
    }

    fn net() -> Net {
        let mut rng = Rng::new(8, 0);
        let mut net = Net::random(&mut rng);
        for weight in &mut *net.parts_mut()[2] {
            *weight = rng.between(-0.5, 0.5) as f32;
        }
        net
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_squared_errors() {
        let (decision, mut net) = (Decision::new(), net());
        let mut adam = Adam::new(net.clone());
        decision.learn(&mut adam, 0.0);
        let near = 2e-3;
        for part in 0..3 {
            let slopes = adam.gradient.parts_mut()[part].to_vec();
            let mut order: Vec<usize> = (0..slopes.len()).collect();
            order.sort_by(|a, b| slopes[*b].abs().total_cmp(&slopes[*a].abs()));
            for at in order.into_iter().take(8) {
                let mut lost = [near, -2.0 * near].map(|step| {
                    net.parts_mut()[part][at] += step;
                    decision.lost(&net)
                });
                net.parts_mut()[part][at] += near;
                lost[0] -= lost[1];
                let measured = lost[0] / (2.0 * near);
                let slope = slopes[at];
                assert!(slope.abs() > 1e-3, "part {part}, weight {at}: {slope}");
                assert!(
                    (measured - slope).abs() < 0.02 * slope.abs() + 2e-3,
                    "part {part}, weight {at}: {slope}, measured {measured}"
                );
            }
        }
    }

    #[test]
    fn what_is_learnt_again_and_again_is_known() {
        let decision = Decision::new();
        let mut adam = Adam::new(net());
        let before = decision.lost(&adam.net);
        for _ in 0..30 * BATCH {
            decision.learn(&mut adam, 0.01);
        }
        let after = decision.lost(&adam.net);
        assert!(after < 0.05 * before, "{before} before, {after} after");
    }
}
