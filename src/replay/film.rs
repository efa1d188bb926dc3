//! A match folded once and kept small, so that any part of its replay is at hand.

use super::found::StepFact;
use super::scenes::{Footage, Remarks, Shape, Step, Still};
use super::seat::ReplayError;
use super::wording::Wording;
use games::Kit;
use games::scene::Names;
use serde_json::Value;
use std::ops::ControlFlow;
use std::{fmt, io};
use zstd::bulk::{compress, decompress};

/// How many steps' states are compressed together: they differ little.
const BLOCK: usize = 32;
const LEVEL: i32 = 3;

/// What is wanted of steps besides what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Their states.
    pub states: bool,
    /// Their pictures.
    pub pictures: Option<Shape>,
}

/// All steps of a match, their states compressed.
pub struct Film {
    kit: &'static dyn Kit,
    names: Names,
    /// The place of the seat whose view it is.
    own: Option<usize>,
    /// Without their states.
    steps: Vec<Step>,
    blocks: Vec<Block>,
    remarks: Remarks,
    bytes: usize,
}

/// The states of [`BLOCK`] steps, as compressed JSON.
struct Block {
    /// Before compression.
    bytes: usize,
    content: Vec<u8>,
}

impl fmt::Debug for Film {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut film = f.debug_struct("Film");
        film.field("steps", &self.steps.len());
        film.field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Film {
    /// Folds what was read of a match. Call it where that may take a while.
    ///
    /// # Errors
    /// [`ReplayError`] if the game cannot replay it.
    pub fn new(footage: &Footage) -> Result<Self, ReplayError> {
        let mut film = Self {
            kit: footage.kit(),
            names: footage.names().clone(),
            own: footage.own_place(),
            steps: Vec::new(),
            blocks: Vec::new(),
            remarks: Remarks::default(),
            bytes: 0,
        };
        let (mut open, mut packed) = (Vec::with_capacity(BLOCK), Ok(()));
        film.remarks = footage.steps(|mut step| {
            open.push(step.state.take());
            film.bytes += size(&step);
            film.steps.push(step);
            if open.len() == BLOCK {
                packed = pack(&mut film.blocks, &mut open);
            }
            match packed {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        packed.and_then(|()| pack(&mut film.blocks, &mut open))?;
        film.bytes += film
            .blocks
            .iter()
            .map(|one| one.content.len())
            .sum::<usize>();
        Ok(film)
    }

    /// Some bytes more or less than it takes in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What the game counts over a match, in the order of the steps' figures.
    #[must_use]
    pub fn measures(&self) -> &'static [&'static str] {
        self.kit.card().curves.map_or(&[], |curves| curves.names)
    }

    /// What one of its turns is called; empty where nothing is counted.
    #[must_use]
    pub fn turn(&self) -> &'static str {
        self.kit.card().curves.map_or("", |curves| curves.turn)
    }

    /// What facts of this kind are called: [`games::GameCard::kind`].
    #[must_use]
    pub fn kind(&self, kind: &str) -> String {
        self.kit.card().kind(kind)
    }

    /// All of them, without their states.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What is known besides its steps.
    #[must_use]
    pub fn remarks(&self) -> &Remarks {
        &self.remarks
    }

    /// Puts a fact of it into words again, after something was taken out of its data.
    pub fn reword(&self, fact: &mut StepFact) {
        let wording = Wording {
            kit: self.kit,
            names: &self.names,
            own: self.own,
        };
        fact.word(&wording);
    }

    /// Steps from one on, at most a number, and what their pictures have alike.
    ///
    /// # Errors
    /// What was compressed cannot be read.
    pub fn part(
        &self,
        from: usize,
        count: usize,
        parts: Parts,
    ) -> io::Result<(Vec<Step>, Option<Still>)> {
        let steps = self.steps.iter().skip(from).take(count);
        let mut steps: Vec<Step> = steps.cloned().collect();
        if !parts.states && parts.pictures.is_none() {
            return Ok((steps, None));
        }
        let mut still = None;
        let blocks = self.blocks.iter().skip(from / BLOCK);
        let mut states = Vec::new();
        for block in blocks.take(steps.len().div_ceil(BLOCK) + 1) {
            let json = decompress(&block.content, block.bytes)?;
            states.extend(serde_json::from_slice::<Vec<Option<Value>>>(&json)?);
        }
        for (step, state) in steps.iter_mut().zip(states.into_iter().skip(from % BLOCK)) {
            step.state = state;
            if let Some(shape) = parts.pictures {
                let drawn = step.draw(self.kit, &self.names, shape);
                still = still.or(drawn);
            }
            step.state = step.state.take().filter(|_| parts.states);
        }
        Ok((steps, still))
    }
}

/// Compresses these states, and forgets them.
fn pack(blocks: &mut Vec<Block>, states: &mut Vec<Option<Value>>) -> io::Result<()> {
    if states.is_empty() {
        return Ok(());
    }
    let json = serde_json::to_vec(states)?;
    blocks.push(Block {
        bytes: json.len(),
        content: compress(&json, LEVEL)?,
    });
    states.clear();
    Ok(())
}

/// What a step without its state takes, more or less.
fn size(step: &Step) -> usize {
    let facts = step.facts.iter();
    let facts = facts.map(|one| 4 * one.fact.data.to_string().len() + one.sentence.len() + 64);
    let decided = size_of_val(step.decided.as_slice());
    size_of::<Step>() + step.title.len() + facts.sum::<usize>() + decided
}
