//! Which dog does what: assignments of roles, compared by lines that follow them for many turns.

use super::greedy::Role;
use super::reach::Reach;
use super::simulator::{Deeds, Simulator};
use super::terrain::Terrain;
use smallvec::SmallVec;

/// The role of each own dog.
pub(super) type Roles = SmallVec<[Role; 6]>;

/// A comparison in progress.
#[derive(Clone)]
pub(super) struct RoleSearch {
    /// Assignments that are tried first.
    first: Vec<Roles>,
    tried: usize,
    depth: usize,
    /// The best so far.
    pub(super) roles: Roles,
    /// What it does in the first turns.
    pub(super) turns: Vec<Deeds>,
    pub(super) total: Option<f64>,
    /// The first turn of each line that was followed, and the line's value.
    pub(super) lines: Vec<(Deeds, f64)>,
}

impl RoleSearch {
    pub(super) fn new(simulator: &Simulator, terrain: &Terrain, reach: Reach) -> Self {
        let own = &simulator.evaluation.own;
        let dogs = simulator.root.dogs();
        let home = |at: &usize| {
            let spot = dogs.get(*at).map(|dog| dog.spot);
            spot.map_or(u16::MAX, |spot| terrain.home(terrain.cell(spot)))
        };
        let nearest = (0..own.len()).min_by_key(|dog| home(&own[*dog]));
        let all = |role: Role| -> Roles { own.iter().map(|_| role).collect() };
        let mut first: Vec<Roles> = Role::ALL.into_iter().map(all).collect();
        if own.len() > 1 {
            for rest in [Role::Herds, Role::Raids] {
                let mut roles = all(rest);
                if let Some(role) = nearest.and_then(|dog| roles.get_mut(dog)) {
                    *role = Role::Guards;
                }
                first.push(roles);
            }
        }
        Self {
            roles: all(Role::Herds),
            first,
            tried: 0,
            depth: reach.depth,
            turns: Vec::new(),
            total: None,
            lines: Vec::new(),
        }
    }

    /// Tries one more assignment; false: all have been tried.
    pub(super) fn step(&mut self, simulator: &mut Simulator, terrain: &mut Terrain) -> bool {
        let at = self.tried;
        self.tried += 1;
        if let Some(roles) = self.first.get(at).cloned() {
            self.follow(simulator, terrain, roles);
            return true;
        }
        // One dog changes its role.
        let at = at - self.first.len();
        let (dog, role) = (at / Role::ALL.len(), Role::ALL[at % Role::ALL.len()]);
        let mut roles = self.roles.clone();
        match roles.get_mut(dog) {
            None => return false,
            Some(old) if *old != role => {
                *old = role;
                if !self.first.contains(&roles) {
                    self.follow(simulator, terrain, roles);
                }
            }
            Some(_) => {}
        }
        true
    }

    /// Follows these roles, and keeps the line if it is the best one.
    fn follow(&mut self, simulator: &mut Simulator, terrain: &mut Terrain, roles: Roles) {
        let mut turns: Vec<Deeds> = Vec::new();
        let mut game = simulator.root.clone();
        let note = |deeds: &Deeds| turns.push(deeds.clone());
        let depth = self.depth;
        let (value, sum) = simulator.go_on(&mut game, 0.0, depth as u32, &roles, terrain, note);
        let total = simulator.far_total(&mut game, value, sum, depth, &roles, terrain);
        simulator.reuse([game]);
        if let Some(first) = turns.first() {
            match self.lines.iter_mut().find(|(deeds, _)| deeds == first) {
                Some((_, value)) => *value = value.max(total),
                None => self.lines.push((first.clone(), total)),
            }
        }
        if self.total.is_none_or(|best| total > best + 1e-9) {
            self.total = Some(total);
            self.roles = roles;
            self.turns = turns;
        }
    }
}
