//! Plays matches, blocks of them, and many blocks at once.

use crate::field::{Ask, Field, Setup, View};
use anyhow::Context as _;
use games::arena::{self, Acts, Arena};
use games::game::{Bot, Budget, Game, Seat};
use nix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

/// What a decision may take.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) nodes: u64,
    /// Processor time; [`Duration::MAX`] for nodes alone.
    pub(crate) within: Duration,
}

/// What is noted of a member in one match.
#[derive(Clone, Default)]
pub(crate) struct Side {
    /// How often it asked whether to stop: players that think do so once a node.
    pub(crate) nodes: u64,
    /// What its decisions took.
    pub(crate) time: Duration,
    /// Microseconds of each decision.
    pub(crate) times: Vec<f32>,
    /// What the game counts.
    pub(crate) notes: [f64; 2],
}

/// What a member got out of one match.
pub(crate) struct Record {
    pub(crate) figures: Vec<f64>,
    pub(crate) times: Vec<f32>,
}

/// Asks the bots of one match.
struct Watch<'a, F> {
    field: &'a F,
    pace: Pace,
    names: &'a [&'a str],
    sides: Vec<Side>,
}

impl<F: Field> Arena<F::Game> for Watch<'_, F> {
    fn decide(
        &mut self,
        seat: Seat,
        bot: &mut dyn Bot<F::Game>,
        view: &View<F>,
        ask: &Ask<F>,
    ) -> <F::Game as Game>::Act {
        let side = &mut self.sides[seat.index() / self.field.team()];
        let usual = (self.pace.nodes, self.pace.within);
        let (nodes, within) = self.field.budget(view, ask, side).unwrap_or(usual);
        let (begun, used) = (Instant::now(), Cell::new(0));
        // Limits count processor time, which other work on the machine does not change.
        let now = || match within {
            Duration::MAX => begun.elapsed(),
            _ => processor_time(),
        };
        let start = now();
        let stop = || {
            used.set(used.get() + 1);
            within < Duration::MAX && now() - start >= within
        };
        let act = bot.decide(view, ask, Budget { nodes, stop: &stop });
        let took = now() - start;
        side.nodes += used.get();
        side.time += took;
        side.times.push(took.as_secs_f32() * 1e6);
        act
    }

    fn listens(&self, seat: Seat) -> bool {
        self.field
            .listens(self.names[seat.index() / self.field.team()])
    }

    fn arrive(&mut self, game: &mut F::Game, acts: &mut Acts<F::Game>) {
        self.field.arrive(game, acts, &mut self.sides);
    }
}

/// Processor time of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    time.expect("every thread has a clock").into()
}

/// One match of these members, by side of the table.
pub(crate) fn play<F: Field>(
    field: &F,
    pace: Pace,
    setup: &Setup<F>,
    names: &[&str],
    seed: u64,
) -> anyhow::Result<Vec<Record>> {
    let seats = (0..names.len() * field.team()).zip(0..);
    let bots = seats.map(|(seat, number)| {
        let name = names[seat / field.team()];
        let bot = field.bot(name, field.bot_seed(seed, number));
        bot.with_context(|| format!("there is no bot {name:?}"))
    });
    let mut bots = bots.collect::<anyhow::Result<Vec<_>>>()?;
    let mut watch = Watch {
        field,
        pace,
        names,
        sides: vec![Side::default(); names.len()],
    };
    let end = arena::play(setup, &mut bots, &mut watch);
    let figures = field.figures(&end, &watch.sides).into_iter();
    let records = figures.zip(watch.sides);
    Ok(records
        .map(|(figures, side)| Record {
            figures,
            times: side.times,
        })
        .collect())
}

/// The matches in which the first of `names` sits on each of `seats` and the others follow it in a circle:
/// the records of all members, by match.
pub(crate) fn block<F: Field>(
    field: &F,
    pace: Pace,
    names: &[&str],
    (ground, seed): (usize, u64),
    seats: &[usize],
) -> anyhow::Result<Vec<Vec<Record>>> {
    let setup = field.setup(ground, seed)?;
    let rotated = |seat: &usize| {
        let mut names = names.to_vec();
        names.rotate_right(*seat);
        let mut records = play(field, pace, &setup, &names, seed)?;
        records.rotate_left(*seat);
        Ok(records)
    };
    seats.iter().map(rotated).collect()
}

/// Runs `work` for every number up to `count` on some threads, and hands the results over in order, as soon
/// as they are there. The first failure ends it.
pub(crate) fn each<T: Send>(
    threads: usize,
    count: u64,
    work: impl Fn(u64) -> anyhow::Result<T> + Sync,
    mut take: impl FnMut(u64, T),
) -> anyhow::Result<()> {
    let next = AtomicU64::new(0);
    let (next, work) = (&next, &work);
    std::thread::scope(|scope| {
        let (done, results) = sync_channel(threads);
        for _ in 0..threads {
            let done = done.clone();
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count || done.send((number, work(number))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let (mut due, mut early) = (0, HashMap::new());
        for (number, result) in results {
            early.insert(number, result?);
            while let Some(result) = early.remove(&due) {
                take(due, result);
                due += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::{Pace, block, each};
    use crate::field::Keys as _;
    use crate::lighthouses::Keys;
    use clap::{Args as _, FromArgMatches as _};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_and_a_failure_ends_it() {
        let mut seen = Vec::new();
        let mut run = |count| {
            let work = |number| match number {
                40 => Err(anyhow::anyhow!("no")),
                number => Ok(number),
            };
            seen.clear();
            let done = each(3, count, work, |number, result| seen.push((number, result)));
            (done.is_ok(), seen.clone())
        };
        let ordered = |count: u64| {
            (0..count)
                .map(|number| (number, number))
                .collect::<Vec<_>>()
        };
        assert_eq!(run(30), (true, ordered(30)));
        let (done, seen) = run(1_000_000);
        assert!(!done && seen == ordered(40)[..seen.len()]);
    }

    #[test]
    fn a_block_gives_members_wherever_they_sit() {
        let command = Keys::augment_args(clap::Command::new("test"));
        let words = "test --maps plain --players 3 --rounds 60";
        let given = command.get_matches_from(words.split(' '));
        let fields = Keys::from_arg_matches(&given).unwrap().fields().unwrap();
        let pace = Pace {
            nodes: 1,
            within: Duration::MAX,
        };
        let names = ["ring", "passer", "passer"];
        let games = block(&fields[0], pace, &names, (0, 7), &[0, 1, 2]).unwrap();
        assert_eq!(games.len(), 3);
        for members in games {
            let points = |member: usize| members[member].figures[1];
            assert!(points(0) > 0.0 && points(1) == 0.0 && points(2) == 0.0);
            // Getting ready and 60 rounds.
            assert_eq!(members[0].times.len(), 61);
        }
    }
}
