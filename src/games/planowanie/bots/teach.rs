//! How the net learns from what cards brought: steps of Adam, each by the errors of some decisions.

use super::champion::inputs::Outlook;
use super::champion::net::{Net, WIDE};
use super::champion::policy::{Context, Policy, UNIT};
use super::position::{Layout, Position};

/// Decisions a step.
const BATCH: u32 = 256;
/// What earlier gradients count compared with the next: their mean, and their mean square.
const MEMORY: [f32; 2] = [0.9, 0.999];
/// Kept away from dividing by 0.
const LEAST: f32 = 1e-8;

/// The sums that learning keeps.
pub(super) struct Teacher {
    pub(super) net: Net,
    gradient: Net,
    means: Net,
    squares: Net,
    decisions: u32,
    steps: i32,
}

impl Teacher {
    pub(super) fn new(net: Net) -> Self {
        Self {
            net,
            gradient: Net::blank(),
            means: Net::blank(),
            squares: Net::blank(),
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
        let outlook = Outlook::new(&context, position);
        let situation = net.situation(layout, position, &outlook);
        let valued: Vec<_> = opinions
            .iter()
            .zip(brought)
            .map(|((card, worth), (_, brought))| {
                let opinion = (*card, *worth as f32 / UNIT);
                let layers = net.card(layout, position, &outlook, &situation, opinion);
                let error = opinion.1 + layers.value - brought;
                (opinion, layers, error)
            })
            .collect();
        let sum: f32 = valued.iter().map(|(_, _, error)| error).sum();
        let mean = sum / valued.len().max(1) as f32;
        let mut shared = [0.0; WIDE];
        let seen = (layout, position, &outlook);
        for (opinion, layers, error) in &valued {
            let error = error - mean;
            self.gradient
                .blame(net, seen, *opinion, layers, error, &mut shared);
        }
        self.gradient.blame_situation(seen, &shared);
        self.decisions += 1;
        if self.decisions == BATCH {
            self.step(rate);
        }
    }

    fn step(&mut self, rate: f32) {
        self.decisions = 0;
        self.steps = self.steps.saturating_add(1);
        let [fair_mean, fair_square] = MEMORY.map(|memory| 1.0 - memory.powi(self.steps));
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
                means[at] += (1.0 - MEMORY[0]) * (slope - means[at]);
                squares[at] += (1.0 - MEMORY[1]) * (slope * slope - squares[at]);
                let size = (squares[at] / fair_square).sqrt() + LEAST;
                weights[at] -= rate * means[at] / fair_mean / size;
            }
        }
    }
}
