//! Rung 3: the player of the contest's JavaScript kit, with that kit's odd distance: across half the world it
//! compares columns with half the rows (`spec`: dx against the height), trees look open to it, and it heads
//! for the pen cell that a search over the eight neighbours meets first.

use super::sight::{Roster, Sight};
use crate::options::Key;
use crate::rules::{
    Ask, Command, Direction, DogId, Event, Ground, Land, Orders, SmartDog, Spot, View,
};
use drover_game::by_rule::ByRule;
use drover_game::game::Seat;
use std::collections::VecDeque;

pub(super) const DESCRIPTION: &str = "The official JavaScript kit's rules: the first dog barks the nearest sheep towards the own pen, the others go for enemy pens and dogs.";

/// By which it decides for each of its dogs.
const RULE: &str = "The first dog drives the nearest sheep that it can get behind towards the own pen, and barks once it stands right; each other dog goes for the nearest foreign dog or sheep in a foreign pen, and barks at it.";

/// Herds with the first dog, attacks with the others.
#[derive(Clone, Default)]
pub struct Shipped {
    roster: Roster,
    sites: Sites,
}

impl ByRule<SmartDog> for Shipped {
    fn observe(&mut self, event: &Event) {
        if let Event::Turn(view) = event {
            self.roster.meet(&Sight::from_view(view));
        }
    }

    fn turn(&mut self, view: &View, _: &Ask) -> (Orders, impl ToString) {
        let sight = Sight::from_view(view);
        self.roster.meet(&sight);
        let torus = view.ground.torus();
        let dogs: Vec<(DogId, Spot)> = self
            .roster
            .sort(&sight)
            .iter()
            .map(|dog| (dog.id, dog.spot))
            .collect();
        let sheep: Vec<Spot> = sight.sheep.iter().map(|sheep| sheep.spot).collect();
        let mut enemies: Vec<Spot> = sight.foreign.iter().map(|dog| dog.spot).collect();
        enemies.extend(&sight.voices);
        let mut taken = vec![false; torus.area()];
        let own = dogs.iter().map(|(_, spot)| spot);
        for spot in own.chain(&sheep).chain(&enemies) {
            taken[torus.index(*spot)] = true;
        }
        let scene = Scene {
            ground: &view.ground,
            you: view.seat,
            dogs: &dogs,
            sheep: &sheep,
            enemies: &enemies,
            taken: &|spot| taken[torus.index(spot)],
        };
        (scene.orders(&mut self.sites, &|_| true), RULE)
    }
}

/// Nearest pen cells found before, for one player on one ground.
#[derive(Clone, Debug, Default)]
pub(super) struct Sites {
    own: Vec<Option<Option<Spot>>>,
    foreign: Vec<Option<Option<Spot>>>,
    /// Whether there is an own pen, once searched for.
    has_own: Option<bool>,
    /// Whether there is a foreign pen, once searched for.
    has_foreign: Option<bool>,
}

/// Which pens to search for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Site {
    Own,
    Foreign,
}

/// The rules' input: everything in sight, in the order of the wire.
pub(super) struct Scene<'a> {
    pub(super) ground: &'a Ground,
    pub(super) you: Seat,
    /// Own dogs in creation order.
    pub(super) dogs: &'a [(DogId, Spot)],
    pub(super) sheep: &'a [Spot],
    /// Foreign dogs, then voices.
    pub(super) enemies: &'a [Spot],
    pub(super) taken: &'a dyn Fn(Spot) -> bool,
}

impl Scene<'_> {
    /// The turn's commands; some may be refused, as the original's are. Where the original would crash (no
    /// dog, no pen to go for), the dog stands. Only dogs that are `wanted` are asked.
    pub(super) fn orders(&self, sites: &mut Sites, wanted: &dyn Fn(DogId) -> bool) -> Orders {
        let mut orders = Orders::new();
        for (at, dog) in self.dogs.iter().enumerate() {
            if !wanted(dog.0) {
                continue;
            }
            if at == 0 {
                self.herd(dog.0, dog.1, sites, &mut orders);
            } else {
                self.attack(dog.0, dog.1, sites, &mut orders);
            }
        }
        orders
    }

    fn herd(&self, id: DogId, dog: Spot, sites: &mut Sites, orders: &mut Orders) {
        // From the nearest to the farthest, the first listed among equals; seldom more than one is needed.
        let mut last = None;
        loop {
            let ranked = (0..).zip(self.sheep).filter_map(|(at, spot)| {
                let outside = self.ground.land(*spot) != Land::Pen(self.you);
                outside.then(|| (self.distance(dog, *spot), at, spot))
            });
            let next = ranked
                .filter(|(far, at, _)| last.is_none_or(|last| (*far, *at) > last))
                .min_by_key(|(far, at, _)| (*far, *at));
            let Some((far, at, spot)) = next else {
                return;
            };
            last = Some((far, at));
            let Some(site) = self.nearest(*spot, Site::Own, sites) else {
                return;
            };
            let wanted = self.direction(*spot, site);
            if self.direction(dog, *spot) == wanted && self.in_bark(dog, *spot) {
                orders.push(Command::Bark(id));
                return;
            }
            let stand = self.ground.torus().next(*spot, wanted.opposite());
            if self.looks_open(stand) {
                self.step_towards(id, dog, stand, orders);
                return;
            }
        }
    }

    fn attack(&self, id: DogId, dog: Spot, sites: &mut Sites, orders: &mut Orders) {
        let penned = |spot: &&Spot| self.site(self.ground.land(**spot)) == Some(Site::Foreign);
        let sheep = self.sheep.iter().filter(penned);
        let targets: Vec<Spot> = sheep.chain(self.enemies).copied().collect();
        if targets.iter().any(|target| self.in_bark(dog, *target)) {
            orders.push(Command::Bark(id));
        }
        let nearest = targets
            .iter()
            .min_by_key(|target| self.distance(dog, **target))
            .copied()
            .or_else(|| self.nearest(dog, Site::Foreign, sites));
        if let Some(target) = nearest {
            self.step_towards(id, dog, target, orders);
        }
    }

    /// A step in the dominant direction or to a side of it; if none is open, a bark.
    fn step_towards(&self, id: DogId, from: Spot, to: Spot, orders: &mut Orders) {
        let ahead = self.direction(from, to);
        let [_, left, right, _] = ahead.tries();
        // Its sides: up has right, left; right has down, up; and so on.
        let open = [ahead, right, left]
            .into_iter()
            .find(|way| self.looks_open(self.ground.torus().next(from, *way)));
        orders.push(match open {
            Some(way) => Command::Move(id, way),
            None => Command::Bark(id),
        });
    }

    fn looks_open(&self, spot: Spot) -> bool {
        self.ground.land(spot) != Land::Wall && !(self.taken)(spot)
    }

    fn site(&self, land: Land) -> Option<Site> {
        match land {
            Land::Pen(owner) if owner == self.you => Some(Site::Own),
            Land::Pen(_) => Some(Site::Foreign),
            Land::Grass | Land::Wall | Land::Tree => None,
        }
    }

    fn displacement(&self, from: Spot, to: Spot) -> (i32, i32) {
        let torus = self.ground.torus();
        let (cols, rows) = (i32::from(torus.cols()), i32::from(torus.rows()));
        let half = |size: i32| (size + 1) / 2;
        let mut dx = i32::from(to.x) - i32::from(from.x);
        if dx < -half(rows) {
            dx += cols;
        }
        if dx > half(cols) {
            dx -= cols;
        }
        let mut dy = i32::from(to.y) - i32::from(from.y);
        if dy <= -half(rows) {
            dy += rows;
        }
        if dy >= half(rows) {
            dy -= rows;
        }
        (dx, dy)
    }

    fn distance(&self, from: Spot, to: Spot) -> u64 {
        let (dx, dy) = self.displacement(from, to);
        u64::from(dx.unsigned_abs()).pow(2) + u64::from(dy.unsigned_abs()).pow(2)
    }

    fn in_bark(&self, dog: Spot, target: Spot) -> bool {
        let radius = u64::from(self.ground.options().get(Key::DogBarkingR));
        self.distance(dog, target) <= radius * radius
    }

    fn direction(&self, from: Spot, to: Spot) -> Direction {
        match self.displacement(from, to) {
            (dx, dy) if dx.abs() > dy.abs() && dx < 0 => Direction::Left,
            (dx, dy) if dx.abs() > dy.abs() => Direction::Right,
            (_, dy) if dy < 0 => Direction::Up,
            _ => Direction::Down,
        }
    }

    fn nearest(&self, from: Spot, site: Site, sites: &mut Sites) -> Option<Spot> {
        let torus = self.ground.torus();
        let known = match site {
            Site::Own => &mut sites.own,
            Site::Foreign => &mut sites.foreign,
        };
        // Without any such cell every search would cover the whole world.
        let there = match site {
            Site::Own => &mut sites.has_own,
            Site::Foreign => &mut sites.has_foreign,
        };
        if !*there.get_or_insert_with(|| {
            let mut spots = torus.spots();
            spots.any(|spot| self.site(self.ground.land(spot)) == Some(site))
        }) {
            return None;
        }
        known.resize(torus.area(), None);
        *known[torus.index(from)].get_or_insert_with(|| self.search(from, site))
    }

    /// The first cell of a breadth-first search over all eight neighbours, column by column.
    fn search(&self, from: Spot, site: Site) -> Option<Spot> {
        let torus = self.ground.torus();
        let mut met = vec![false; torus.area()];
        met[torus.index(from)] = true;
        let mut queue = VecDeque::from([from]);
        while let Some(spot) = queue.pop_front() {
            if self.site(self.ground.land(spot)) == Some(site) {
                return Some(spot);
            }
            for dx in -1..=1 {
                for dy in -1..=1 {
                    let next = torus.offset(spot, dx, dy);
                    if !std::mem::replace(&mut met[torus.index(next)], true) {
                        queue.push_back(next);
                    }
                }
            }
        }
        None
    }
}
