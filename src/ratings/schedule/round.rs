//! What a schedule is made from, and a round of it.

use crate::fit::Fit;
use crate::results::Results;
use games::rng::Rng;
use serde::{Deserialize, Serialize};

/// Who takes part. Entrants are addressed by their numbers: first the regular ones, then the house's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// How many regular entrants there are: `0..entrants`.
    pub entrants: usize,
    /// How many of the house follow them. They play only where a table would not be full.
    pub house: usize,
    /// The seats of a table.
    pub seats: usize,
    /// The seed of all chance.
    pub seed: u64,
}

/// What is drawn by chance: each has numbers of its own.
#[derive(Clone, Copy)]
pub(super) enum Draw {
    Tables = 1,
    Seats,
    Ties,
}

impl Field {
    /// Regular entrants and the house.
    pub(super) const fn all(&self) -> usize {
        self.entrants + self.house
    }

    /// Whether the house can fill the last table of n players.
    pub(super) const fn fills(&self, players: usize) -> bool {
        players.next_multiple_of(self.seats) - players <= self.house
    }

    /// How many play if all do: the regular entrants, and those of the house who complete the last table.
    pub(super) const fn pool(&self) -> usize {
        if self.fills(self.entrants) {
            self.entrants.next_multiple_of(self.seats)
        } else {
            self.entrants
        }
    }

    /// Completes tables with the house's entrants, each at one table.
    pub(super) fn fill_up(&self, tables: &mut [Vec<usize>]) {
        let mut house = self.entrants..self.all();
        for table in tables {
            table.extend(house.by_ref().take(self.seats - table.len()));
        }
    }

    /// Random numbers for a draw of a round or a lap.
    pub(super) fn rng(&self, draw: Draw, number: usize) -> Rng {
        Rng::new(self.seed, (draw as u64) << 40 | number as u64)
    }

    /// The entrants, from the first, in an order drawn by chance.
    pub(super) fn drawn(&self, entrants: usize, number: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..entrants).collect();
        self.rng(Draw::Tables, number).shuffle(&mut order);
        order
    }
}

/// Who plays with whom in a round; nobody is at two tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Its number, from 0.
    pub number: u32,
    /// The entrants of each table by seat, all seats taken. They are to play all cyclic rotations; if they play
    /// only this one, seats are spread evenly over the rounds.
    pub tables: Vec<Vec<usize>>,
    /// The regular entrants who are due to play but sit this round out.
    pub byes: Vec<usize>,
    /// Why these meet, in words.
    pub why: String,
}

/// What was played so far.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// All rounds so far, made by the same format for the same field.
    pub rounds: &'a [Round],
    /// By round, table and place at that table: the points won there.
    pub points: &'a [Vec<Vec<f64>>],
    /// All results; entrants have the numbers that they have in the field.
    pub results: &'a Results,
    /// The ratings of these results, if there are any.
    pub fit: Option<&'a Fit>,
}
