//! Tours that make or strengthen a triangle: in which order to visit its corners, how long that takes with
//! the available keys and links, what to charge, and what it is worth.

use super::habits::Habits;
use super::paths::FAR;
use super::scout::{Scene, Scout};
use crate::rules::{Lighthouse, UPKEEP};
use smallvec::SmallVec;

/// The most visits in a tour: three corners, and two of them again.
const VISITS_MAX: usize = 5;
/// How many rounds are looked ahead.
const HORIZON: usize = 1024;
/// The numbers of rounds tried for gathering before a tour.
const WAITS: [u16; 5] = [0, 6, 14, 28, 50];
/// Upkeep of one lighthouse per round.
const DECAY: f64 = UPKEEP as f64;

/// The corners of a tour: one lighthouse or three.
type Corners = SmallVec<[Lighthouse; 3]>;

/// A plan of action.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The lighthouses that the tour is about.
    pub(super) corners: Corners,
    /// Where to go, in order.
    pub(super) visits: SmallVec<[Lighthouse; VISITS_MAX]>,
    /// Rounds of gathering before it.
    pub(super) wait: u16,
    /// What to put in at the first visit; 0: nothing.
    pub(super) charge: u32,
    /// Points per round that it is expected to add while it is carried out.
    pub(super) rate: f64,
}

/// What a triangle hunter has learnt about how fast it gathers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Energy per round while gathering.
    pub(super) gathering: f64,
    /// Energy per step while walking somewhere.
    pub(super) walking: f64,
}

/// Corners that tours may visit.
struct Subject {
    corners: Corners,
    /// The value of what stands on them now.
    before: f64,
    /// The most that a tour adds to that.
    most: f64,
    /// The most points per round that a tour brings.
    bound: f64,
}

/// The choice among plans.
struct Choice<'p> {
    best: Option<Plan>,
    committed: Option<&'p Plan>,
    /// How much better a plan for other corners must be.
    loyalty: f64,
}

impl Choice<'_> {
    /// Whether a plan of this rate would never be chosen.
    fn settled(&self, rate: f64) -> bool {
        let best = self.best.as_ref().map_or(0.0, |best| best.rate);
        rate * self.loyalty <= best
    }

    fn offer(&mut self, mut plan: Plan) {
        let old = self.committed;
        if old.is_some_and(|old| old.corners == plan.corners) {
            plan.rate *= self.loyalty;
        }
        if self.best.as_ref().is_none_or(|best| plan.rate > best.rate) {
            self.best = Some(plan);
        }
    }
}

/// A tour in progress.
#[derive(Clone, Copy, Default)]
struct Tour {
    visits: [u8; VISITS_MAX],
    count: usize,
    rounds: u32,
    steps: u32,
    keys: u8,
    /// By corner, the corners it is linked with.
    links: [u8; 3],
    /// By corner, when it is charged.
    charged: [Option<u32>; 3],
    /// Corners that went out before they were reached.
    fallen: u8,
}

impl Tour {
    /// The corner of the last visit.
    fn last(&self) -> Option<usize> {
        let last = self.count.checked_sub(1)?;
        self.visits.get(last).map(|at| usize::from(*at))
    }
}

/// The position for which plans are made.
pub(super) struct Planner<'a> {
    scout: &'a Scout,
    scene: &'a Scene,
    habits: &'a Habits,
    pace: Pace,
    /// By lighthouse, how many rounds it stands if nobody comes.
    life: Vec<u32>,
    /// By lighthouse, the others to which there is an own link or one could be made.
    open: Vec<u64>,
    /// By number of rounds, the total value of a point in each of them.
    due: Vec<f64>,
    /// By lighthouse, what losing it costs the others.
    harm: Vec<f64>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(scout: &'a Scout, scene: &'a Scene, habits: &'a Habits, pace: Pace) -> Self {
        let patience = habits.patience(scout.players);
        let due = (0..HORIZON).map(|rounds| patience * (1.0 - (-(rounds as f64) / patience).exp()));
        let network = &scene.network;
        let beacons = network.beacons().iter();
        let mut planner = Self {
            scout,
            scene,
            habits,
            pace,
            life: beacons
                .map(|beacon| beacon.energy.div_ceil(UPKEEP))
                .collect(),
            open: Vec::new(),
            due: due.collect(),
            harm: Vec::new(),
        };
        for a in scout.lighthouses() {
            let links = if scene.mine(a) {
                network.beacon(a).links
            } else {
                0
            };
            let linkable = Lighthouse::in_set(scout.chart.linkable(a) & !links);
            let free = linkable.filter(|b| !network.crossed(&scout.chart, a, *b));
            let open = free.fold(links, |set, b| set | b.bit());
            planner.open.push(open);
        }
        for at in scout.lighthouses() {
            let harm = planner.harm(at);
            planner.harm.push(harm);
        }
        planner
    }

    fn due(&self, from: f64, to: f64) -> f64 {
        let at = |rounds: f64| {
            let place = rounds.clamp(0.0, (HORIZON - 1) as f64) as usize;
            self.due.get(place).copied().unwrap_or_default()
        };
        (at(to) - at(from)).max(0.0)
    }

    fn life(&self, at: Lighthouse) -> f64 {
        self.life
            .get(at.index())
            .copied()
            .unwrap_or_default()
            .into()
    }

    fn links(&self, at: Lighthouse) -> u64 {
        self.scene.network.beacon(at).links
    }

    /// The value to its owner of all that stands on another player's lighthouse.
    fn harm(&self, at: Lighthouse) -> f64 {
        let beacon = self.scene.network.beacon(at);
        if self.scene.mine(at) || beacon.owner.is_none() {
            return 0.0;
        }
        let begin = f64::from(self.scout.paths.steps(self.scene.here, at));
        let stands = |life: f64| self.due(begin, life);
        let own = self.life(at);
        let mut worth = 2.0 * stands(own);
        for b in Lighthouse::in_set(beacon.links) {
            let life = own.min(self.life(b));
            worth += 2.0 * stands(life);
            for c in Lighthouse::in_set(beacon.links & self.links(b)).filter(|c| *c > b) {
                let area = f64::from(self.scout.chart.area(at, b, c));
                worth += area * stands(life.min(self.life(c)));
            }
        }
        worth
    }

    /// The best plan there is. A plan for the same corners as `committed` is slightly preferred.
    pub(super) fn best(&self, committed: Option<&Plan>) -> Option<Plan> {
        let mut subjects = Vec::new();
        for a in self.scout.lighthouses() {
            subjects.extend(self.subject(&[a]));
            let later = |set: u64, at: Lighthouse| Lighthouse::in_set(set).filter(move |b| *b > at);
            for b in later(self.open(a), a) {
                for c in later(self.open(a) & self.open(b), b) {
                    if self.scout.chart.area(a, b, c) > 0 {
                        subjects.extend(self.subject(&[a, b, c]));
                    }
                }
            }
        }
        subjects.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        subjects.truncate(self.habits.subjects as usize);
        let mut choice = Choice {
            best: None,
            committed,
            loyalty: self.habits.loyalty,
        };
        for subject in subjects {
            if choice.settled(subject.bound) {
                break;
            }
            self.tours(&subject, &mut choice);
        }
        choice.best
    }

    fn open(&self, at: Lighthouse) -> u64 {
        self.open.get(at.index()).copied().unwrap_or_default()
    }

    /// The most that tours to these corners can bring.
    fn subject(&self, corners: &[Lighthouse]) -> Option<Subject> {
        let steps = |at: &Lighthouse| self.scout.paths.steps(self.scene.here, *at);
        let steps = corners
            .iter()
            .map(steps)
            .min()
            .filter(|steps| *steps != FAR)?;
        let all = (1u8 << corners.len()) - 1;
        let done = Tour {
            links: [0, 1, 2].map(|i| all & !(1 << i)),
            charged: [Some(0); 3],
            ..Tour::default()
        };
        let before = self.stake(corners, |_| None, None, 0.0);
        let most = self.stake(corners, |_| Some(HORIZON as f64), Some(&done), 0.0);
        let most = most - before + self.harmed(corners);
        let bound = most / (f64::from(steps) + 1.0 + self.habits.overhead);
        Some(Subject {
            corners: Corners::from_slice(corners),
            before,
            most,
            bound,
        })
    }

    /// The value of taking these from others.
    fn harmed(&self, corners: &[Lighthouse]) -> f64 {
        let harm = |at: &Lighthouse| self.harm.get(at.index()).copied().unwrap_or_default();
        self.habits.rivalry(self.scout.players) * corners.iter().map(harm).sum::<f64>()
    }

    /// Offers every tour to these corners.
    fn tours(&self, subject: &Subject, choice: &mut Choice<'_>) {
        let corners = &subject.corners;
        let mut begin = Tour::default();
        for (i, corner) in corners.iter().enumerate() {
            begin.keys |= u8::from(self.scene.keys & corner.bit() != 0) << i;
            for (j, other) in corners.iter().enumerate() {
                let linked = self.scene.mine(*corner) && self.links(*corner) & other.bit() != 0;
                begin.links[i] |= u8::from(linked) << j;
            }
        }
        let mut open: SmallVec<[Tour; 8]> = SmallVec::new();
        open.push(begin);
        while let Some(tour) = open.pop() {
            let last = tour.last();
            let done = whole(&tour, corners);
            for next in 0..corners.len() {
                let pointless = tour.charged[next].is_some() && done;
                if tour.count == VISITS_MAX || last == Some(next) || pointless {
                    continue;
                }
                let Some(tour) = self.visit(tour, corners, next) else {
                    continue;
                };
                let rounds = f64::from(tour.rounds) + self.habits.overhead;
                if choice.settled(subject.most / rounds) {
                    continue;
                }
                if whole(&tour, corners) {
                    self.judge(&tour, subject, choice);
                }
                open.push(tour);
            }
        }
    }

    /// Goes to a corner, charges it the first time, and makes all links there.
    fn visit(&self, mut tour: Tour, corners: &[Lighthouse], next: usize) -> Option<Tour> {
        let to = *corners.get(next)?;
        let from = match tour.last() {
            None => self.scene.here,
            Some(last) => {
                let last = corners.get(last)?;
                *self.scout.chart.lighthouses().get(last.index())?
            }
        };
        let steps = self.scout.paths.steps(from, to);
        if steps == FAR {
            return None;
        }
        *tour.visits.get_mut(tour.count)? = next as u8;
        tour.count += 1;
        tour.steps += u32::from(steps);
        tour.rounds += u32::from(steps);
        tour.keys |= 1 << next;
        let stands = |at: usize, tour: &Tour| {
            let lives = |corner: &Lighthouse| {
                self.scene.mine(*corner) && self.life(*corner) > tour.rounds.into()
            };
            tour.charged[at].is_some() || corners.get(at).is_some_and(lives)
        };
        if tour.charged[next].is_none() {
            if !stands(next, &tour) {
                tour.fallen |= 1 << next;
                for links in &mut tour.links {
                    *links &= !(1 << next);
                }
                tour.links[next] = 0;
            }
            tour.charged[next] = Some(tour.rounds);
            tour.rounds += 1;
        }
        for other in 0..corners.len() {
            let fits = tour.links[next] & 1 << other == 0 && tour.keys & 1 << other != 0;
            if other != next && fits && stands(other, &tour) {
                tour.keys &= !(1 << other);
                tour.links[next] |= 1 << other;
                tour.links[other] |= 1 << next;
                tour.rounds += 1;
            }
        }
        Some(tour)
    }

    /// Offers a tour for each length of gathering before it.
    fn judge(&self, tour: &Tour, subject: &Subject, choice: &mut Choice<'_>) {
        let corners = &subject.corners;
        let place = |at: &u8| corners.get(usize::from(*at)).copied();
        for wait in WAITS {
            let rounds = f64::from(tour.rounds) + f64::from(wait) + self.habits.overhead;
            if choice.settled(subject.most / rounds) {
                return;
            }
            let Some((worth, charge)) = self.worth(tour, subject, wait) else {
                continue;
            };
            choice.offer(Plan {
                corners: corners.clone(),
                visits: tour.visits[..tour.count].iter().filter_map(place).collect(),
                wait,
                charge,
                rate: worth / rounds,
            });
        }
    }

    /// What a tour adds, and what is put into the first of its corners.
    fn worth(&self, tour: &Tour, subject: &Subject, wait: u16) -> Option<(f64, u32)> {
        let corners = &subject.corners;
        let end = f64::from(tour.rounds) + f64::from(wait);
        let purse = f64::from(self.scene.energy) + f64::from(wait) * self.pace.gathering;
        let mut rest = purse + f64::from(tour.steps) * self.pace.walking;
        // What each corner has at the end without a charge, and when it is charged.
        let mut bases: SmallVec<[(usize, f64); 3]> = SmallVec::new();
        let mut shortest = f64::MAX;
        for (i, corner) in corners.iter().enumerate() {
            let stored = f64::from(self.scene.network.beacon(*corner).energy);
            let Some(at) = tour.charged[i] else {
                let life = self.life(*corner) - end;
                if !self.scene.mine(*corner) || life <= 0.0 {
                    return None;
                }
                shortest = shortest.min(life);
                continue;
            };
            let at = f64::from(at) + f64::from(wait);
            if self.scene.mine(*corner) && tour.fallen & 1 << i == 0 {
                if self.life(*corner) <= at {
                    return None;
                }
                bases.push((i, stored - DECAY * end));
            } else {
                rest -= f64::from(self.scene.against(*corner)).max(0.0);
                bases.push((i, -DECAY * (end - at)));
            }
        }
        let level = level(&bases, rest);
        let lowest = self.habits.least_level;
        if level < lowest {
            return None;
        }
        let first = usize::from(*tour.visits.first()?);
        let base = bases.iter().find(|(corner, _)| *corner == first);
        let against = corners.get(first).map_or(0, |at| self.scene.against(*at));
        let charge = base.map_or(0.0, |(_, base)| (level - base).max(0.0)) + f64::from(against);
        let charge = charge.clamp(0.0, purse);
        let lives = |i: usize| -> Option<f64> {
            let (_, base) = bases.iter().find(|(corner, _)| *corner == i)?;
            Some(end + level.max(*base) / DECAY)
        };
        let after = self.stake(corners, lives, Some(tour), end);
        let taken = bases.iter().filter_map(|(i, _)| corners.get(*i).copied());
        let harm = self.harmed(&taken.collect::<Corners>());
        let gain = after - subject.before + harm;
        (gain > 0.0).then_some((gain, charge.ceil() as u32))
    }

    /// The value of all that stands on these corners, now or after a tour that ends at `end`. `lives` gives
    /// how long a charged corner lives.
    fn stake(
        &self,
        corners: &[Lighthouse],
        lives: impl Fn(usize) -> Option<f64>,
        tour: Option<&Tour>,
        end: f64,
    ) -> f64 {
        let place = |at: Lighthouse| corners.iter().position(|corner| *corner == at);
        let life = |at: Lighthouse| {
            let charged = place(at).and_then(&lives);
            charged.unwrap_or_else(|| self.life(at))
        };
        let fallen = |at: Lighthouse| {
            let fell = |i: usize| tour.is_some_and(|tour| tour.fallen & 1 << i != 0);
            !self.scene.mine(at) || place(at).is_some_and(fell)
        };
        let links = |at: Lighthouse| -> u64 {
            let kept = if fallen(at) {
                0
            } else {
                Lighthouse::in_set(self.links(at))
                    .filter(|to| !fallen(*to))
                    .fold(0, |set, to| set | to.bit())
            };
            let made = place(at).zip(tour).map_or(0, |(i, tour)| {
                let ends = (0..)
                    .zip(corners)
                    .filter(|(j, _)| tour.links[i] & 1 << j != 0);
                ends.fold(0, |set, (_, corner)| set | corner.bit())
            });
            kept | made
        };
        let old =
            |a: Lighthouse, b: Lighthouse| !fallen(a) && !fallen(b) && self.links(a) & b.bit() != 0;
        let begin = |stood: bool| if stood { 0.0 } else { end };
        let mut worth = 0.0;
        for (i, a) in corners.iter().enumerate() {
            let owned = tour.is_some_and(|tour| tour.charged[i].is_some()) || self.scene.mine(*a);
            if !owned {
                continue;
            }
            worth += 2.0 * self.due(begin(!fallen(*a)), life(*a));
            // What stands on two corners counts at the first of them.
            let earlier = corners.iter().take(i).fold(0, |set, b| set | b.bit());
            let ends = links(*a) & !earlier;
            for b in Lighthouse::in_set(ends) {
                let both = life(*a).min(life(b));
                worth += 2.0 * self.due(begin(old(*a, b)), both);
                for c in Lighthouse::in_set(ends & links(b)).filter(|c| *c > b) {
                    let stood = old(*a, b) && old(*a, c) && old(b, c);
                    let area = f64::from(self.scout.chart.area(*a, b, c));
                    worth += area * self.due(begin(stood), both.min(life(c)));
                }
            }
        }
        worth
    }
}

/// Whether all links between the corners exist, and one of them has been visited.
fn whole(tour: &Tour, corners: &[Lighthouse]) -> bool {
    let all = (1u8 << corners.len()) - 1;
    let linked = |i: usize| tour.links[i] | 1 << i == all;
    tour.count > 0 && (0..corners.len()).all(linked)
}

/// The level to which all these can be brought with this much energy; below the lowest of them if it is
/// negative.
fn level(bases: &[(usize, f64)], energy: f64) -> f64 {
    let mut order: SmallVec<[f64; 3]> = bases.iter().map(|(_, base)| *base).collect();
    order.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    let mut level = f64::MIN;
    for (count, base) in (1..).zip(&order) {
        if count > 1 && *base >= level {
            break;
        }
        sum += base;
        level = (energy + sum) / f64::from(count);
    }
    level
}
