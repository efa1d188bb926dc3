//! The talk of a check with a program that speaks its game's own protocol.

use super::{ANSWER_WITHIN, MISSED_MAX, Over, READY_WITHIN, Trial, shown};
use crate::link::program::LineFault;
use crate::programs::check::talk::{Silence, Talk};
use crate::programs::native::Answered;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Reads of what it has said before it is sent more.
const READS_MAX: u32 = 64;

impl Trial<'_> {
    /// Waits for the answer to the decision that was sent last; the number and the answer, if that comes in time.
    pub(super) fn decide_native(
        &mut self,
        program: &mut Talk,
        number: u64,
        within: Duration,
    ) -> Result<Option<Value>, Over> {
        let asked = Instant::now();
        let mut waited = within.min(ANSWER_WITHIN);
        loop {
            while let Some(answered) = self.answered(program, asked + waited)? {
                if answered.number == Some(number) {
                    self.took(asked.elapsed(), within);
                    return Ok(Some(Value::String(answered.text)));
                }
            }
            if self.missed >= MISSED_MAX || waited >= ANSWER_WITHIN || !self.is_disturbed(asked) {
                break;
            }
            waited = ANSWER_WITHIN;
        }
        if self.missed < MISSED_MAX {
            self.missed += 1;
            let steps = self.steps.as_ref();
            let unended = match program.unended() {
                [] => None,
                unended => Some(format!("{} has no end of line", shown(unended))),
            };
            let why = unended.or_else(|| steps?.owes_before(number));
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            let ms = waited.as_millis();
            let what = format!("no answer to decision {number} within {ms} ms{why}");
            self.finding.fix(what);
        }
        Ok(None)
    }

    /// Takes in what it has said before it is sent more: nothing that it was not asked for.
    pub(super) fn read_on(&mut self, program: &mut Talk) -> Result<(), Over> {
        if self.steps.is_none() {
            return Ok(());
        }
        let mut reads = 0..READS_MAX;
        while program.read() > 0 && reads.next().is_some() {}
        while self.missed < MISSED_MAX && program.unended().contains(&b'\n') {
            self.answered(program, Instant::now())?;
        }
        Ok(())
    }

    /// Waits until a program that was started again has answered all that it was sent; one that speaks the neutral
    /// protocol need not.
    pub(super) fn catch_up(&mut self, program: &mut Talk) -> Result<(), Over> {
        let until = Instant::now() + READY_WITHIN;
        while self.steps.as_ref().is_some_and(|steps| !steps.is_even()) {
            if self.answered(program, until)?.is_some() {
                continue;
            }
            if self.missed < MISSED_MAX {
                self.missed = MISSED_MAX;
                let what = format!(
                    "started again, it does not answer all that it is sent once more within {} s",
                    READY_WITHIN.as_secs()
                );
                self.finding.fix(what);
            }
            break;
        }
        Ok(())
    }

    /// Its next whole answer, if it comes in time. One that is out of step is not waited for any more.
    fn answered(&mut self, program: &mut Talk, until: Instant) -> Result<Option<Answered>, Over> {
        loop {
            let line = match program.line(until) {
                Ok(line) => line,
                Err(Silence::Program(LineFault::Late)) => return Ok(None),
                Err(fault) => {
                    self.faulty(&fault);
                    return Err(Over);
                }
            };
            let Some(steps) = &mut self.steps else {
                return Ok(None);
            };
            let ready = self.begun.elapsed().as_secs_f64() * 1e3;
            self.finding.ready_ms.get_or_insert(ready);
            match steps.reply(&line) {
                Ok(Some(answered)) => return Ok(Some(answered)),
                Ok(None) => {}
                Err(why) => {
                    self.missed = MISSED_MAX;
                    self.finding.fix(format!("it is out of step: {why}"));
                    return Ok(None);
                }
            }
        }
    }
}
