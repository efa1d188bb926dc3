//! The player: updates its belief, searches, answers.

use super::arrival::Arrival;
use super::reach::Reach;
use super::reply::Model;
use super::search::Search;
use super::terrain::Terrain;
use super::value::{WEIGHTS, Weights};
use super::world::World;
use crate::bots::shipped::Shipped;
use crate::known::KnownMaps;
use crate::rules::{Ask, Event, Orders, SmartDog, View};
use drover_game::by_rule::by_rule;
use drover_game::game::{Bot, Budget, Progress};
use drover_game::reasons::{Belief, Reasons, Weighed};
use std::sync::Arc;

/// The largest world searched, in cells; on larger ones the official kit's rules play.
const AREA_MAX: usize = 16_384;
/// The most objects in a view that is searched.
const SEEN_MAX: usize = 1_000;

/// The parameters of a player of this family.
#[derive(Clone, Copy, Debug)]
pub struct Knobs {
    /// How far and wide it searches.
    pub reach: Reach,
    /// The weights of its evaluation.
    pub weights: Weights,
    /// Whether it recognises maps.
    pub recognises: bool,
    /// How rivals may play.
    pub models: &'static [Model],
}

/// Rung 4: one turn ahead.
pub const HERDER: Knobs = Knobs {
    reach: Reach {
        depth: 1,
        widths: &[1],
        replies: false,
        trail: 0.0,
        draft: false,
        horizon: 0,
        finals: 1,
        turns: false,
    },
    weights: WEIGHTS,
    recognises: false,
    models: &[Model::Kit, Model::Stands],
};

/// Rung 5: a short beam without replies by others.
pub const SEARCHER: Knobs = Knobs {
    reach: Reach {
        depth: 8,
        widths: &[8, 24],
        trail: 0.02,
        ..HERDER.reach
    },
    ..HERDER
};

/// Rung 6: all features.
pub const CHAMPION: Knobs = Knobs {
    reach: Reach {
        depth: 10,
        widths: &[6, 16, 40, 100, 240],
        replies: true,
        trail: 0.02,
        draft: true,
        horizon: 30,
        finals: 3,
        turns: true,
    },
    weights: Weights {
        roles: 1.0,
        guard: 0.3,
        win: 1.0,
        frozen: 0.1,
        freezes: 0.05,
        fade: 40.0,
        closing: 30.0,
        closing_win: 2.0,
        look: 1.0,
        unseen: 16.0,
        ..WEIGHTS
    },
    recognises: true,
    models: &[Model::Kit, Model::Stands, Model::Herds, Model::Raids],
};

/// A player of this family.
#[derive(Clone)]
pub struct Herder {
    knobs: Knobs,
    known: KnownMaps,
    state: State,
    /// Whether searches keep what they compare.
    keeps: bool,
}

#[derive(Clone)]
enum State {
    /// Nothing seen yet.
    Blank,
    /// The world is too large to search.
    Simple(Box<dyn Bot<SmartDog>>),
    Thinking(Box<Thoughts>),
}

#[derive(Clone)]
struct Thoughts {
    world: World,
    terrain: Terrain,
    /// The search in progress.
    search: Option<Search>,
}

impl Thoughts {
    /// What was compared, and what is believed of the others.
    fn explain(&self, reasons: &mut Reasons<Orders>) {
        let search = self.search.as_ref();
        reasons.nodes = search.map_or(0, Search::used);
        for (orders, value, turns) in search.map_or_else(Vec::new, Search::compared) {
            let orders = self.world.outer(&orders);
            let chosen = orders == reasons.act;
            let weighed = Weighed::new(orders, Some(value), None);
            reasons.options.push(Weighed {
                chosen,
                plan: format!("followed {turns} turns"),
                ..weighed
            });
        }
        reasons.beliefs = self.world.replies().beliefs();
        let missing = self.world.missing() as f64;
        let what = "sheep whose places are unknown";
        reasons
            .beliefs
            .push(Belief::amount("own", what, missing, "sheep"));
    }
}

impl Herder {
    /// A player with these parameters.
    #[must_use]
    pub fn new(knobs: Knobs, known: &KnownMaps) -> Self {
        Self {
            knobs,
            known: if knobs.recognises {
                known.clone()
            } else {
                KnownMaps::none()
            },
            state: State::Blank,
            keeps: false,
        }
    }

    fn see(&mut self, view: &View) {
        if let State::Thinking(thoughts) = &mut self.state {
            let same = Arc::ptr_eq(&thoughts.terrain.ground, &view.ground)
                || thoughts.terrain.ground == view.ground;
            // If the turn number goes back, another match has begun.
            let same = same && view.turn >= thoughts.world.game.turn();
            if same && thoughts.world.me == view.seat && view.seen.len() <= SEEN_MAX {
                thoughts.world.begin_turn(view);
                thoughts.search = None;
                return;
            }
        }
        let large = view.ground.torus().area() > AREA_MAX || view.seen.len() > SEEN_MAX;
        if large {
            if !matches!(self.state, State::Simple(_)) {
                self.state = State::Simple(by_rule(Shipped::default()));
            }
            return;
        }
        let mut world = World::new(view, &self.known, self.knobs.models);
        if self.knobs.reach.turns {
            world.arrival = Some(Arrival::new(view.ground.tiles().len()));
        }
        self.state = State::Thinking(Box::new(Thoughts {
            world,
            terrain: Terrain::new(&view.ground, view.seat),
            search: None,
        }));
    }

    /// Takes in a view that came without an event, for callers that send none.
    fn catch_up(&mut self, view: &View) {
        let current = match &self.state {
            State::Blank => false,
            State::Simple(_) => true,
            State::Thinking(thoughts) => {
                thoughts.world.game.turn() == view.turn && thoughts.world.me == view.seat
            }
        };
        if !current {
            self.see(view);
        }
    }
}

impl Bot<SmartDog> for Herder {
    fn observe(&mut self, event: &Event) {
        if let Event::Turn(view) = event {
            self.see(view);
        }
        match (&mut self.state, event) {
            (State::Simple(kit), event) => kit.observe(event),
            (State::Thinking(thoughts), Event::Ordered(orders)) => thoughts.world.order(orders),
            _ => {}
        }
    }

    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Orders {
        self.ponder(view, ask, budget).0
    }

    fn ponder(&mut self, view: &View, ask: &Ask, slice: Budget<'_>) -> (Orders, Progress) {
        self.catch_up(view);
        match &mut self.state {
            State::Blank => (Orders::new(), Progress::Done),
            State::Simple(kit) => (kit.decide(view, ask, slice), Progress::Done),
            State::Thinking(thoughts) => {
                let Thoughts {
                    world,
                    terrain,
                    search,
                } = thoughts.as_mut();
                let search = search.get_or_insert_with(|| {
                    let (reach, weights) = (self.knobs.reach, self.knobs.weights);
                    Search::new(world, terrain, reach, weights)
                });
                if self.keeps {
                    search.tried.get_or_insert_default();
                }
                let progress = search.run(terrain, slice);
                (world.outer(&search.orders()), progress)
            }
        }
    }

    fn reasons(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Reasons<Orders> {
        self.keeps = true;
        let mut reasons = Reasons::from_act(self.ponder(view, ask, budget).0);
        match &mut self.state {
            State::Blank => {}
            State::Simple(kit) => return kit.reasons(view, ask, budget),
            State::Thinking(thoughts) => thoughts.explain(&mut reasons),
        }
        reasons
    }
}
