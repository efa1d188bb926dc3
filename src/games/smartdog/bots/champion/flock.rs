//! Believed sheep are made to agree with those in sight.

use super::hidden::Hidden;
use super::tracked::{SHEEP_MAX, Tracked};
use crate::bots::sight::Sight;
use crate::options::Key;
use crate::rules::{SeenSheep, Sheep, SheepAction, View};

/// How many steps along an axis a sheep may be from where it was believed to be.
const STRAY_MAX: i32 = 3;

/// Matches seen sheep with believed ones: the one believed on that cell; else, of those at most `STRAY_MAX` steps away,
/// the nearest one missing from its believed cell, else the nearest unseen one; else it is new. Those that are not where
/// they were believed to be go to a hidden cell nearby or are given up.
pub(super) fn correct_sheep(
    view: &View,
    sight: &Sight,
    sheep: &mut Vec<Tracked>,
    hidden: &mut Hidden<'_>,
) {
    let mut met = vec![false; sheep.len()];
    for seen in meet_where_believed(view, sight, sheep, &mut met) {
        meet_near(view, &seen, sheep, &mut met, hidden);
    }
    let mut stays = Vec::with_capacity(sheep.len());
    let mut moved = Vec::with_capacity(sheep.len());
    for (at, Tracked { sheep, .. }) in sheep.iter_mut().enumerate() {
        let believed = sheep.spot;
        stays.push(met[at] || hidden.settle(&mut sheep.spot, STRAY_MAX));
        moved.push(sheep.spot != believed);
    }
    // Of too many those go first that are not where they were believed to be.
    let doubtful = (0..sheep.len()).filter(|at| stays[*at] && !met[*at]);
    let mut doubtful: Vec<usize> = doubtful.rev().collect();
    doubtful.sort_by_key(|at| !moved[*at]);
    let believed = stays.iter().filter(|stays| **stays).count();
    for at in doubtful
        .into_iter()
        .take(believed.saturating_sub(most(view)))
    {
        stays[at] = false;
    }
    let mut keep = stays.iter();
    sheep.retain(|_| *keep.next().unwrap_or(&false));
}

/// How many sheep there are at most: a hub's numbers are not believed without limit.
fn most(view: &View) -> usize {
    match view.ground.sheep_of_tile() as usize * view.ground.tiles().len() {
        0 => SHEEP_MAX,
        message => message.min(SHEEP_MAX),
    }
}

/// Meets sheep that stand where they were believed to; returns the others in sight.
fn meet_where_believed(
    view: &View,
    sight: &Sight,
    sheep: &mut [Tracked],
    met: &mut [bool],
) -> Vec<SeenSheep> {
    let torus = view.ground.torus();
    let mut by_cell = vec![usize::MAX; torus.area()];
    for (at, Tracked { sheep, .. }) in sheep.iter().enumerate() {
        if torus.contains(sheep.spot) {
            by_cell[torus.index(sheep.spot)] = at;
        }
    }
    let mut strange = Vec::new();
    for seen in &sight.sheep {
        match by_cell[torus.index(seen.spot)] {
            at if at < sheep.len() && !met[at] => {
                met[at] = true;
                update(&mut sheep[at].sheep, seen, view);
            }
            _ => strange.push(*seen),
        }
    }
    strange
}

/// Meets a sheep that was believed elsewhere, or a new one.
fn meet_near(
    view: &View,
    seen: &SeenSheep,
    sheep: &mut Vec<Tracked>,
    met: &mut Vec<bool>,
    hidden: &Hidden<'_>,
) {
    let torus = view.ground.torus();
    let near = |at: &usize| {
        let from = sheep[*at].sheep.spot;
        let (dx, dy) = torus.displacement(from, seen.spot);
        let wrong = torus.contains(from) && hidden.visible[torus.index(from)];
        (i32::from(!wrong), dx.abs() + dy.abs())
    };
    let free = |at: &usize| !met[*at] && near(at).1 <= STRAY_MAX;
    match (0..sheep.len()).filter(free).min_by_key(near) {
        Some(at) => {
            met[at] = true;
            sheep[at].sheep.spot = seen.spot;
            update(&mut sheep[at].sheep, seen, view);
        }
        None => {
            let mut new = Tracked::new(&view.ground, seen.spot);
            update(&mut new.sheep, seen, view);
            sheep.push(new);
            met.push(true);
        }
    }
}

/// How a seen sheep behaves. The wire does not say how many turns it still runs: the believed number if there
/// is one, else that of a sheep that caught the fright last turn.
fn update(sheep: &mut Sheep, seen: &SeenSheep, view: &View) {
    let runs = view.ground.options().get(Key::SheepScaryTurns);
    let frightened = match seen.action {
        SheepAction::Panic if sheep.frightened > 0 => sheep.frightened,
        SheepAction::Panic => runs.saturating_sub(1).max(1),
        SheepAction::StandBy | SheepAction::Move => 0,
    };
    if frightened != sheep.frightened {
        *sheep = Sheep::imagine(sheep.spot, seen.direction, frightened);
    }
    sheep.direction = seen.direction;
}
