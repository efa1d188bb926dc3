//! The toy game, in which a question of a test may make a bot hang, panic or pass.

use drover_toy::field;
use games::{Budget, Frame, Kit, Progress};
use std::path::Path;
use std::time::{Duration, Instant};

/// The toy game with bots that can be disturbed.
pub(crate) fn kit() -> &'static dyn Kit {
    drover_toy::INSTEAD.get_or_init(|| disturbed);
    &drover_toy::KIT
}

/// As [`games::find`], for the toy game alone.
pub(crate) fn find(game: &str) -> Option<&'static dyn Kit> {
    (game == kit().card().name).then(kit)
}

/// Thinks as a question says: `how=panic`, `panic2` in the second slice, `long` until it must stop, `pass` without an
/// answer; `stuck=MS` sleeps and `spin=MS` computes whatever the time is, and `until=FILE` waits for a file. With
/// `of=BOT` only that bot does.
fn disturbed(bot: &str, ask: &str, slice: Budget<'_>, best: &mut Frame) -> Option<Progress> {
    if field(ask, "of").is_some_and(|of| of != bot) {
        return None;
    }
    field(ask, "until").into_iter().for_each(wait_for);
    let time = |name| field(ask, name)?.parse().ok().map(Duration::from_millis);
    time("stuck").into_iter().for_each(std::thread::sleep);
    let begun = Instant::now();
    while time("spin").is_some_and(|spin| begun.elapsed() < spin) {
        std::hint::spin_loop();
    }
    match field(ask, "how")? {
        "panic" => panic!("while thinking"),
        "panic2" if best == "?n=1" => panic!("in the second slice"),
        "panic2" => *best = "?n=1".to_owned(),
        "long" => {
            while !(slice.stop)() {
                std::thread::yield_now();
            }
            *best = "?n=2".to_owned();
        }
        _ => {
            best.clear();
            return Some(Progress::Done);
        }
    }
    Some(Progress::More)
}

/// Waits until there is such a file, or no folder for it any more. A file of the same name with `-here` says that it
/// does.
fn wait_for(gate: &str) {
    let _ = std::fs::write(format!("{gate}-here"), "");
    let path = Path::new(gate);
    while !path.exists() && path.parent().is_some_and(Path::exists) {
        std::thread::park_timeout(Duration::from_millis(1));
    }
}
