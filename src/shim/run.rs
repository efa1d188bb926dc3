//! Frame by frame: what the arbiter writes to the player of this game, and the answer back.

use super::input;
use super::options::ShimOptions;
use super::player::Player;
use crate::link::relay::Bye;
use games::{Kit, SetupError};
use nix::sys::signal::{SigSet, Signal};
use parking_lot::Mutex;
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a shim that is asked to stop waits for the current message.
const STOP_WITHIN: Duration = Duration::from_millis(200);
/// How often it checks whether that message is done.
const STOP_LOOK: Duration = Duration::from_millis(2);

/// Why a shim ends before its arbiter does, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum ShimError {
    /// No such bot.
    #[error(transparent)]
    Bot(#[from] SetupError),
    /// The arbiter cannot be read from or answered.
    #[error("the arbiter's pipe: {0}")]
    Pipe(#[from] io::Error),
}

/// Plays until the arbiter closes its pipe. SIGTERM and SIGINT end the process cleanly.
///
/// # Errors
/// [`ShimError`]; a closed pipe is not an error.
pub fn run(
    options: ShimOptions,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), ShimError> {
    let kit = options.kit;
    // Before any thread starts: all inherit it.
    let signals = blocked_signals();
    let shim = Arc::new(Mutex::new(Player::begin(options)?));
    if let Some(signals) = signals {
        on_signal(signals, &shim);
    }
    let relayed = relay(kit, &shim, &mut input, &mut output);
    let bye = Bye {
        n: None,
        why: match &relayed {
            Ok(Ended::HungUp) => "the arbiter closed its pipe".to_owned(),
            Ok(Ended::NotRead) => "the arbiter does not read our output any more".to_owned(),
            Err(error) => error.to_string(),
        },
        hung_up: matches!(relayed, Ok(Ended::HungUp)),
    };
    shim.lock().leave(bye);
    relayed.map(drop)
}

/// Which pipe was closed.
enum Ended {
    /// The one that we read from.
    HungUp,
    /// The one that we write to.
    NotRead,
}

/// Answers until either pipe is closed.
fn relay(
    kit: &dyn Kit,
    shim: &Mutex<Player>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<Ended, ShimError> {
    while let Some(frame) = input::frame(input, kit)? {
        let received = Instant::now();
        let answer = shim.lock().answer(frame, received)?;
        if answer.is_empty() {
            shim.lock().look_back();
            continue;
        }
        let said = output
            .write_all((answer + "\n").as_bytes())
            .and_then(|()| output.flush());
        match said {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Ended::NotRead),
            said => said?,
        }
        // No clock is running now.
        shim.lock().look_back();
    }
    Ok(Ended::HungUp)
}

/// Blocks SIGTERM and SIGINT in this thread and those that it starts. If that fails, they end the process as
/// usual.
fn blocked_signals() -> Option<SigSet> {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    signals.add(Signal::SIGINT);
    signals.thread_block().ok().map(|()| signals)
}

/// Ends the process on one of these signals, after notifying the daemon.
fn on_signal(signals: SigSet, shim: &Arc<Mutex<Player>>) {
    let shim = Arc::clone(shim);
    let wait = move || {
        if signals.wait().is_err() {
            return;
        }
        let until = Instant::now() + STOP_WITHIN;
        while Instant::now() < until {
            if let Some(mut shim) = shim.try_lock() {
                let bye = Bye {
                    n: None,
                    why: "the shim was stopped".to_owned(),
                    // Engines that have no end message are stopped together with their players.
                    hung_up: true,
                };
                shim.leave(bye);
                break;
            }
            std::thread::park_timeout(STOP_LOOK);
        }
        std::process::exit(0);
    };
    // If this fails, the process still ends: its parent may kill it.
    drop(
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(wait),
    );
}
