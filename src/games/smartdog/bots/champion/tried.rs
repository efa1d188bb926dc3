//! What a search has compared, for explanations: the best line of each first deed of each dog.

use super::deed::Deed;

/// A line that begins with a deed of one dog, the other dogs following their plans.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// The dog's place among the own ones.
    pub(super) dog: usize,
    pub(super) first: Deed,
    pub(super) value: f64,
    /// How many turns it was followed.
    pub(super) turns: usize,
}

/// The lines that are kept.
#[derive(Clone, Default)]
pub(super) struct Tried(Vec<Line>);

impl Tried {
    /// Forgets the lines of a dog.
    pub(super) fn forget(&mut self, dog: usize) {
        self.0.retain(|line| line.dog != dog);
    }

    /// Keeps a line unless one with this beginning was followed as far.
    pub(super) fn farther(&mut self, line: Line) {
        self.keep(line, |known| known.turns < line.turns);
    }

    /// Keeps a line unless one with this beginning is as good.
    pub(super) fn better(&mut self, line: Line) {
        self.keep(line, |known| known.value < line.value);
    }

    fn keep(&mut self, line: Line, gives_way: impl Fn(&Line) -> bool) {
        let same = |known: &&mut Line| (known.dog, known.first) == (line.dog, line.first);
        match self.0.iter_mut().find(same) {
            Some(known) if gives_way(known) => *known = line,
            Some(_) => {}
            None => self.0.push(line),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Line> {
        self.0.iter()
    }
}
