//! What a bot says, and what that means for the caller that waits.

use super::{QUOTED_MAX, Received, Runner, STARTS_MAX, Word};
use games::neutral::{self, Said, written};
use serde_json::Value;
use std::time::Instant;

impl Runner {
    /// Receives what it says, until it answers this decision or the deadline is over.
    pub(super) fn listen(&mut self, number: Option<u64>, deadline: Instant) -> Received {
        loop {
            let Some(running) = &mut self.running else {
                return Received::Nothing;
            };
            let deaf = !running.carrier.push(&mut running.unsaid);
            match running.carrier.next_line() {
                Ok(Some(line)) => {
                    let received_line = match running.steps {
                        Some(_) => self.step(&line, number),
                        None => self.understand(&line, number),
                    };
                    if let Some(received_line) = received_line {
                        return received_line;
                    }
                    // What was kept back until it was ready.
                    self.send(number.map(|number| (number, deadline)));
                }
                Ok(None) if deaf && number.is_some() => {
                    return Received::Failed("it closed its input".to_owned());
                }
                Ok(None) if std::mem::take(&mut running.wants_models) && number.is_some() => {
                    // The decision comes once more, after what it wanted to know.
                    running.sent = running.sent.saturating_sub(1);
                    self.send(number.map(|number| (number, deadline)));
                }
                Ok(None) => {
                    let asked = number.is_some();
                    let starting = running.starting.as_ref().map(|starting| starting.until);
                    let until = starting.map_or(deadline, |until| until.min(deadline));
                    let waited = running.carrier.wait(&mut running.unsaid, asked, until);
                    if starting.is_some_and(|until| until <= Instant::now()) {
                        // It is slow: others need not be.
                        running.starting = None;
                        if matches!(waited, Ok(false)) && Instant::now() < deadline {
                            continue;
                        }
                    }
                    match waited {
                        Ok(true) => {}
                        Ok(false) => return Received::Nothing,
                        Err(why) => return Received::Failed(why.to_string()),
                    }
                }
                Err(_) if running.carrier.is_over_memory() => {
                    let most = self.launch.limits.memory.unwrap_or_default() >> 20;
                    return Received::Failed(format!(
                        "its processes took more than {most} MiB of memory together"
                    ));
                }
                Err(why) => return Received::Failed(why.to_string()),
            }
        }
    }

    /// Takes a line in of a program that speaks its game's own protocol; what it means for the caller that waits.
    fn step(&mut self, line: &[u8], due: Option<u64>) -> Option<Received> {
        let running = self.running.as_mut()?;
        let steps = running.steps.as_mut()?;
        let answered = match steps.reply(line) {
            Ok(answered) => answered?,
            Err(why) => return Some(Received::Failed(why.to_string())),
        };
        running.since = Instant::now();
        // One that is behind is catching up: it does not hang.
        running.ready |= steps.is_even() || (answered.asked && answered.number == due);
        if running.ready {
            running.starting = None;
        }
        if answered.asked && answered.number == due {
            return Some(Received::Act(Value::String(answered.text)));
        }
        self.report.stale += u64::from(answered.asked);
        None
    }

    /// Takes a line in; what it means for the caller that waits.
    fn understand(&mut self, line: &[u8], due: Option<u64>) -> Option<Received> {
        if let Some(running) = &mut self.running {
            running.lines += 1;
            if running.lines > neutral::LINES_MAX.saturating_add(running.owed) {
                return Some(Received::Failed("it says more than it is asked".to_owned()));
            }
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        match neutral::read(line) {
            Ok(Said::Ready { protocol }) if protocol == neutral::VERSION => {
                let running = self.running.as_mut()?;
                running.ready = true;
                running.starting = None;
                None
            }
            Ok(Said::Ready { protocol }) => {
                self.report.starts = STARTS_MAX;
                let ours = neutral::VERSION;
                let why = format!("it speaks version {protocol} of the protocol, not {ours}");
                Some(Received::Failed(why))
            }
            Ok(Said::Act { number, act }) if due == Some(number) => Some(Received::Act(act)),
            Ok(Said::Act { number, act }) => {
                match self.log.played(number) {
                    // It answers again what it was sent once more.
                    Some(before)
                        if self.report.starts > 1
                            || self.sent_again
                            || self.opening.start.again =>
                    {
                        match serde_json::from_str::<Value>(before).ok() == Some(act) {
                            true => self.report.repeated += 1,
                            false => self.report.changed += 1,
                        }
                    }
                    Some(_) => self.report.stale += 1,
                    None => self.refuse(Some(number), "that is not asked".to_owned()),
                }
                None
            }
            Ok(Said::Note { note }) => {
                let length = written(&note).len();
                if length > neutral::NOTE_MAX {
                    let most = neutral::NOTE_MAX;
                    self.refuse(None, format!("a note of {length} bytes; {most} are kept"));
                } else {
                    self.report.note = Some(note.clone());
                    *self.noted.lock() = Some(note);
                }
                None
            }
            Ok(Said::Models) => {
                let models = self.opening.models.clone();
                self.say(&Word::Models { models });
                let running = self.running.as_mut()?;
                running.wants_models = due.is_some() && running.carrier.asks_again();
                None
            }
            Err(why) => {
                let text = String::from_utf8_lossy(line.get(..QUOTED_MAX).unwrap_or(line));
                self.refuse(None, format!("{why}: {text:?}"));
                None
            }
        }
    }
}
