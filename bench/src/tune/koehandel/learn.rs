//! Learns what positions are worth, from whole matches between players of the learnt types.

use super::farm::Farm;
use anyhow::Context as _;
use games::koehandel::bots::champion::base::base;
use games::koehandel::bots::champion::outlook::{Inputs, Outlook, Position, softmax};
use games::koehandel::bots::champion::playout::{play_on, play_out};
use games::koehandel::bots::champion::{Horizon, worth};
use games::koehandel::bots::policy::{Early, Limits, Profile};
use games::koehandel::bots::styles::{KINDS, Style, kind_named};
use games::koehandel::options::TradePayment;
use games::koehandel::rules::{Ask, Hidden, Koehandel, Setup};
use games::koehandel::view::View;
use games::rng::Rng;

/// Positions of a match that are learnt from.
const POSITIONS: usize = 4;
/// Positions between two steps.
const BATCH: usize = 64;
/// The length of the first step; steps become shorter to the end.
const STEP: f32 = 0.004;

/// A position and what became of it.
struct Lesson {
    inputs: [Inputs; 4],
    shares: [f32; 4],
}

/// Plays `games` matches, learns from them `rounds` times, and prints what was learnt.
pub(super) fn learn(farm: &Farm, games: u64, rounds: u64, seed: u64) -> anyhow::Result<()> {
    let mut lessons = Vec::new();
    for game in 0..games {
        study(farm, seed + game, &mut lessons)?;
    }
    let test = lessons.split_off(lessons.len() * 19 / 20);
    let mut rng = Rng::new(seed, 41);
    let mut pupil = Pupil::new(&mut rng);
    let steps = rounds as f32 * (lessons.len() as f32 / BATCH as f32).ceil();
    let mut done = 0.0;
    for round in 0..rounds {
        rng.shuffle(&mut lessons);
        for batch in lessons.chunks(BATCH) {
            done += 1.0;
            pupil.learn(batch, STEP * (1.0 - done / (steps + 1.0)));
        }
        drover::cli::tell(&format!(
            "{:?} round {round}: loss {:.5}, of {} others {:.5}, explained {:.3}",
            farm.pay,
            pupil.loss(&lessons[..test.len().min(lessons.len())]),
            test.len(),
            pupil.loss(&test),
            pupil.explained(&test),
        ));
    }
    print!("{}", pupil.outlook.text());
    Ok(())
}

/// A policy that is like a player's but for its numbers.
fn strange(profile: Profile, rng: &mut Rng) -> Profile {
    let mut between = |low: f32, high: f32| low + (high - low) * rng.unit() as f32;
    Profile {
        bid: profile.bid * between(0.1, 1.8),
        noise: 0.2,
        denial: between(0.0, 1.2),
        reserve: between(-0.4, 0.6).max(0.0),
        pre_empt: between(-0.2, 0.6).max(0.0),
        offer: (0.0, between(0.1, 1.5)),
        counter: (0.0, between(0.1, 1.5)),
        jump: between(0.0, 1.0) < 0.2,
        early: match between(0.0, 1.0) < 0.2 {
            true => Early::Always,
            false => profile.early,
        },
        ..profile
    }
}

/// Plays a match, at first by strange policies, and adds positions from there on.
fn study(farm: &Farm, number: u64, lessons: &mut Vec<Lesson>) -> anyhow::Result<()> {
    let mut rng = Rng::new(number, 40);
    let strong = match farm.pay {
        TradePayment::Winner => "evolved",
        TradePayment::Exchange => "evolved-exchange",
    };
    let strong = kind_named(strong).context("there is the evolved type")?;
    let types: [usize; 4] = std::array::from_fn(|_| match rng.below(20) {
        0..8 => Position::OWN,
        8..15 => strong,
        _ => rng.below(KINDS.len() as u32) as usize,
    });
    let cast = types.map(|kind| match KINDS.get(kind) {
        Some(kind) => kind.style,
        None => Style::Profile(*base(farm.pay)),
    });
    let strangers = [(); 4].map(|()| Style::Profile(strange(*base(farm.pay), &mut rng)));
    let setup = Setup::deal(number, farm.options());
    let (start, hidden) = (View::start(), Hidden::default());
    let (purses, deck, options) = (&setup.purses, &setup.deck, farm.options());
    let position = Koehandel::imagine(&start, purses, deck, options, &Ask::Turn, &hidden);
    let mut game = position.context("a whole deck adds up")?;
    let mut until = 40 - rng.below(40) as usize;
    play_on(&mut game, &strangers, &mut [Limits::NONE; 4], number, until);
    let (mut memory, mut seen) = ([Limits::NONE; 4], Vec::new());
    while let Some((turn, Ask::Turn)) = game.asked()
        && game.undrawn() > 0
        && seen.len() < POSITIONS
    {
        let position = Position {
            herds: game.herds(),
            cash: game.purses().map(|purse| purse.value()),
            turn,
            types,
        };
        seen.push(position.inputs());
        until = until.saturating_sub(1 + seen.len() * rng.below(3) as usize);
        if until == 0 {
            break;
        }
        play_on(&mut game, &cast, &mut memory, number, until);
    }
    play_out(&mut game, &cast, &mut memory, number);
    let shares = std::array::from_fn(|seat| worth(&game, seat, Horizon::Turn.win_weight()) as f32);
    lessons.extend(seen.into_iter().map(|inputs| Lesson { inputs, shares }));
    Ok(())
}

/// A network that learns, with the running means of its slopes and of their squares.
struct Pupil {
    outlook: Outlook,
    slopes: Outlook,
    means: Outlook,
    squares: Outlook,
    steps: i32,
}

impl Pupil {
    fn new(rng: &mut Rng) -> Self {
        let zero = Outlook::drawn(|| 0.0);
        Self {
            outlook: Outlook::drawn(|| 2.0 * rng.unit() as f32 - 1.0),
            slopes: zero.clone(),
            means: zero.clone(),
            squares: zero,
            steps: 0,
        }
    }

    fn shares(&self, lesson: &Lesson) -> [f32; 4] {
        let number = |inputs| self.outlook.number(&self.outlook.units(inputs));
        softmax(std::array::from_fn(|player| number(&lesson.inputs[player])))
    }

    fn loss(&self, lessons: &[Lesson]) -> f32 {
        let loss = |lesson: &Lesson| -> f32 {
            let shares = self.shares(lesson);
            let both = shares.iter().zip(&lesson.shares);
            both.map(|(share, real)| -real * share.max(1e-9).ln()).sum()
        };
        lessons.iter().map(loss).sum::<f32>() / lessons.len().max(1) as f32
    }

    /// What part of the variance is explained.
    fn explained(&self, lessons: &[Lesson]) -> f32 {
        let (mut left, mut all) = (0.0, 0.0);
        for lesson in lessons {
            for (share, real) in self.shares(lesson).iter().zip(&lesson.shares) {
                left += (real - share).powi(2);
                all += (real - 0.25).powi(2);
            }
        }
        1.0 - left / all
    }

    fn learn(&mut self, batch: &[Lesson], step: f32) {
        for lesson in batch {
            self.add_slopes(lesson, batch.len());
        }
        self.go(step);
    }

    /// Adds the slopes of one of `of` lessons.
    fn add_slopes(&mut self, lesson: &Lesson, of: usize) {
        let units: [_; 4] =
            std::array::from_fn(|player| self.outlook.units(&lesson.inputs[player]));
        let shares = softmax(std::array::from_fn(|player| {
            self.outlook.number(&units[player])
        }));
        for player in 0..4 {
            let error = (shares[player] - lesson.shares[player]) / of as f32;
            let mut back = units[player];
            for ((back, weight), slope) in back
                .iter_mut()
                .zip(&self.outlook.last)
                .zip(&mut self.slopes.last)
            {
                *slope += error * *back;
                *back = if *back > 0.0 { error * weight } else { 0.0 };
            }
            for (at, number) in &lesson.inputs[player] {
                for (slope, back) in self.slopes.first[usize::from(*at)].iter_mut().zip(&back) {
                    *slope += number * back;
                }
            }
        }
    }

    /// Goes down the slopes, weight by weight by the means of each.
    fn go(&mut self, step: f32) {
        self.steps += 1;
        let (first, second) = (
            1.0 - 0.9f32.powi(self.steps),
            1.0 - 0.999f32.powi(self.steps),
        );
        let each = self
            .outlook
            .first
            .iter_mut()
            .chain([&mut self.outlook.last])
            .zip(self.slopes.first.iter_mut().chain([&mut self.slopes.last]))
            .zip(self.means.first.iter_mut().chain([&mut self.means.last]))
            .zip(
                self.squares
                    .first
                    .iter_mut()
                    .chain([&mut self.squares.last]),
            );
        for (((weights, slopes), means), squares) in each {
            for (((weight, slope), mean), square) in
                weights.iter_mut().zip(slopes).zip(means).zip(squares)
            {
                *mean = 0.9 * *mean + 0.1 * *slope;
                *square = 0.999 * *square + 0.001 * *slope * *slope;
                *weight -= step * (*mean / first) / ((*square / second).sqrt() + 1e-8);
                *slope = 0.0;
            }
        }
    }
}
