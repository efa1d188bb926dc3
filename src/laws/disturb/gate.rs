//! Some disturbed matches of a game, as many as a gate has time for.

use super::{Said, Tape, Trial, disturbed};
use drover_game::kit::Kit;
use drover_game::rng::Rng;
use std::sync::mpsc;
use std::time::Duration;

/// Recorded matches of a game.
const TAPES: u64 = 4;
/// Disturbed matches of each, by each of two bots ...
const EACH: u64 = 12;
/// ... unless this variable has another number: `DISTURBED_EACH=1000 cargo test --release -p drover-GAME disturbed_m`.
const EACH_VARIABLE: &str = "DISTURBED_EACH";
/// Longest wait for one of them, generous for a loaded machine: then it hangs.
const WATCH: Duration = Duration::from_secs(120);

fn bots(kit: &dyn Kit) -> (&'static str, &'static str) {
    let cheap = kit.card().bots.iter().rfind(|bot| !bot.thinks);
    let cheap = cheap.expect("a bot that does not think");
    ("champion", cheap.name)
}

/// Disturbs matches of a game; at least `recovered_min` percent of the seats recover.
pub fn check(kit: &'static dyn Kit, recovered_min: usize) {
    let each = std::env::var(EACH_VARIABLE).map_or(EACH, |each| each.parse().expect("a number"));
    let (done, watch) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        for seed in 0..TAPES {
            let tape = Tape::record(kit, seed).expect("a match");
            assert!(tape.lines.len() > 10, "{} lines", tape.lines.len());
            for (at, bot) in [bots(kit).0, bots(kit).1].into_iter().enumerate() {
                let plain = Trial::plain(&tape, bot, Said::Recorded);
                assert_eq!(plain.panic, None);
                assert_eq!(plain.illegal, [""; 0], "{bot} on tape {seed}");
                assert_eq!(plain.differs, None, "{bot} on tape {seed}");
                assert_eq!((plain.hangs, plain.unsound), (0, 0), "{bot} on tape {seed}");
                for trial in 0..each {
                    let stream = 1 + trial * 2 + at as u64;
                    let recovered = one(&tape, bot, stream, &plain);
                    done.send(recovered).expect("somebody counts");
                }
            }
        }
    });
    let mut all = Vec::new();
    loop {
        match watch.recv_timeout(WATCH) {
            Ok(recovered) => all.push(recovered),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("a disturbed match hangs"),
        }
    }
    if let Err(panic) = worker.join() {
        std::panic::resume_unwind(panic);
    }
    let recovered = all.iter().filter(|recovered| **recovered).count();
    let enough = recovered * 100 >= recovered_min * all.len();
    assert!(enough, "{recovered} of {} recovered", all.len());
}

fn one(tape: &Tape, bot: &str, stream: u64, plain: &Trial) -> bool {
    let mut rng = Rng::new(tape.seed, stream);
    let received = disturbed(tape, &mut rng);
    let said = if rng.chance(0.5) {
        Said::Own
    } else {
        Said::Recorded
    };
    let trial = Trial::run(tape, bot, &received, said);
    let which = format!("{bot}, tape {}, stream {stream}", tape.seed);
    assert_eq!(trial.panic, None, "{which}");
    assert_eq!(trial.hangs, 0, "{which}");
    assert_eq!(trial.illegal, [""; 0], "{which}");
    assert_eq!(trial.differs, None, "{which}");
    trial.recovered(plain)
}
