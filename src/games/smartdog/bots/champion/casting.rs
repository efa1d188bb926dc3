//! Which dog does what: assignments of roles, compared by lines that follow them for many turns.

use super::greedy::Role;
use super::simulator::{Deeds, Simulator};
use super::terrain::Terrain;
use smallvec::SmallVec;

/// The role of each own dog.
pub(super) type Roles = SmallVec<[Role; 6]>;

/// A comparison in progress.
#[derive(Clone)]
pub(super) struct Casting {
    /// Assignments that are tried first.
    first: Vec<Roles>,
    tried: usize,
    depth: usize,
    /// The best so far.
    pub(super) roles: Roles,
    /// What it does in the first turns.
    pub(super) turns: Vec<Deeds>,
    pub(super) total: Option<f64>,
}

impl Casting {
    pub(super) fn new(simulator: &Simulator, terrain: &Terrain, depth: usize) -> Self {
        let own = &simulator.lens.own;
        let dogs = simulator.root.dogs();
        let home = |at: &usize| {
            let spot = dogs.get(*at).map(|dog| dog.spot);
            spot.map_or(u16::MAX, |spot| terrain.home(terrain.cell(spot)))
        };
        let nearest = (0..own.len()).min_by_key(|dog| home(&own[*dog]));
        let alone = simulator.is_alone();
        let mut first = Vec::new();
        let all = |role: Role| -> Roles { own.iter().map(|_| role).collect() };
        for role in Role::ALL {
            first.push(all(role));
            if alone {
                break;
            }
        }
        if own.len() > 1 && !alone {
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
            depth,
            turns: Vec::new(),
            total: None,
        }
    }

    /// Tries one more assignment; false: all have been tried.
    pub(super) fn step(&mut self, simulator: &mut Simulator, terrain: &mut Terrain) -> bool {
        let at = self.tried;
        self.tried += 1;
        let roles = if let Some(roles) = self.first.get(at) {
            roles.clone()
        } else {
            // One dog changes its role.
            let at = at - self.first.len();
            let (dog, role) = (at / Role::ALL.len(), Role::ALL[at % Role::ALL.len()]);
            let mut roles = self.roles.clone();
            match roles.get_mut(dog) {
                None => return false,
                Some(_) if self.first.len() == 1 => return false,
                Some(old) if *old == role => return true,
                Some(old) => *old = role,
            }
            if self.first.contains(&roles) {
                return true;
            }
            roles
        };
        let mut turns = Vec::new();
        let depth = self.depth;
        let mut game = simulator.copy(&simulator.root.clone());
        let begin = (&mut game, 0.0);
        let (value, sum) =
            simulator.go_on(begin, depth as u32, &roles, terrain, |deeds| turns.push(deeds));
        let line = (value, sum, depth);
        let total = simulator.far_total(&mut game, line, &roles, terrain);
        simulator.reuse([game]);
        if self.total.is_none_or(|best| total > best + 1e-9) {
            self.total = Some(total);
            self.roles = roles;
            self.turns = turns;
        }
        true
    }
}
