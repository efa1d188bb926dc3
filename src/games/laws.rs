//! Laws that every game must pass: random play ends, offered acts are legal, the same seed gives the
//! same match, refused acts do no harm. Each game's tests call [`play_randomly`] with its own audit.

use crate::game::{Game, Outcome, Seat};
use crate::rng::Rng;

/// More steps than any match of any game here can take.
const STEPS_MAX: usize = 200_000;

/// Plays one match with acts drawn from [`Game::acts`], now and then with none, and checks on the
/// way that every offered act is legal and that only those to move are offered any. `audit` sees
/// every position. Returns the outcome and everything heard.
pub fn play_randomly<G: Game<Act: Clone>>(
    setup: &G::Setup,
    seed: u64,
    silence: f64,
    mut audit: impl FnMut(&G),
) -> (Outcome, Vec<(Seat, G::Event)>) {
    let mut rng = Rng::new(seed, 1);
    let mut game = G::start(setup);
    let mut events = Vec::new();
    let mut acts = Vec::new();
    for _ in 0..STEPS_MAX {
        audit(&game);
        if let Some(outcome) = game.outcome() {
            assert!(
                game.to_move().iter().all(|(_, to_move)| !to_move),
                "a match over asks nobody"
            );
            return (outcome, events);
        }
        let mut step = Vec::new();
        for (seat, to_move) in game.to_move().iter() {
            acts.clear();
            game.acts(seat, &mut acts);
            assert_eq!(
                *to_move,
                !acts.is_empty(),
                "acts are offered to whom they are asked of"
            );
            for act in &acts {
                if let Err(illegal) = game.check(seat, act) {
                    panic!("an offered act is illegal: {illegal}");
                }
            }
            if *to_move {
                let act = acts.get(rng.below(acts.len() as u32) as usize).cloned();
                step.push((seat, act.filter(|_| !rng.chance(silence))));
            }
        }
        game.step(&step, &mut events);
    }
    panic!("random play of seed {seed} does not end");
}
