//! A second implementation of the turn, written from the rules' text alone and as plainly as possible: no
//! grid, none of the first one's types, every question answered by searching all objects.

use std::collections::HashSet;

pub type At = (i64, i64);
pub const WORDS: [&str; 4] = ["up", "right", "down", "left"];

#[derive(Clone, Debug)]
pub struct RefDog {
    pub owner: usize,
    pub at: At,
    pub disabled: i64,
    pub full: bool,
    pub voice: bool,
    moved: bool,
    barked: bool,
    hit: bool,
    helped: bool,
}

#[derive(Clone, Debug)]
pub struct RefSheep {
    pub at: At,
    pub facing: &'static str,
    pub left: i64,
    memory: HashSet<usize>,
    moved: bool,
    inside: bool,
}

/// One world, its options in the order `[bark, scary, dog scary, stand by]`.
#[derive(Clone, Debug)]
pub struct Reference {
    pub size: At,
    pub rows: Vec<Vec<char>>,
    pub tile: At,
    pub corners: Vec<At>,
    pub dogs: Vec<RefDog>,
    pub sheep: Vec<RefSheep>,
    pub options: [i64; 4],
    pub turn: i64,
    pub counts: (i64, i64),
}

fn delta(word: &str) -> At {
    match word {
        "up" => (0, -1),
        "down" => (0, 1),
        "left" => (-1, 0),
        _ => (1, 0),
    }
}

/// Of the two ways round, the shorter; the wrapped one on a tie.
fn way(from: i64, to: i64, size: i64) -> i64 {
    let direct = to - from;
    let wrapped = match direct {
        0 => return 0,
        d if d > 0 => d - size,
        d => d + size,
    };
    if direct.abs() < wrapped.abs() {
        direct
    } else {
        wrapped
    }
}

impl Reference {
    /// Copies of the tile's rows at the places given by the layout.
    pub fn new(tile: &[&str], players: usize, options: [i64; 4]) -> Self {
        let layout: Vec<&str> = match players {
            1 => vec!["1"],
            2 => vec!["12"],
            3 => vec!["1..", ".2.", "..3"],
            _ => vec!["1.3.", ".2.4"],
        };
        let (w, h) = (tile[0].len() as i64, tile.len() as i64);
        let size = (w * layout[0].len() as i64, h * layout.len() as i64);
        let mut new = Self {
            size,
            rows: vec![vec!['.'; size.0 as usize]; size.1 as usize],
            tile: (w, h),
            corners: vec![(0, 0); players],
            dogs: Vec::new(),
            sheep: Vec::new(),
            options,
            turn: 1,
            counts: (0, 0),
        };
        for (ty, row) in layout.iter().enumerate() {
            for (tx, letter) in row.chars().enumerate() {
                if let Some(player) = letter.to_digit(10) {
                    let corner = (tx as i64 * w, ty as i64 * h);
                    new.corners[player as usize - 1] = corner;
                    new.copy(tile, corner, player as usize - 1);
                }
            }
        }
        let letters = || tile.iter().flat_map(|row| row.chars());
        new.counts.0 = letters().filter(|letter| "*o".contains(*letter)).count() as i64;
        new.counts.1 = letters().filter(|letter| *letter == 'o').count() as i64;
        new
    }

    fn copy(&mut self, tile: &[&str], corner: At, owner: usize) {
        for (y, row) in tile.iter().enumerate() {
            for (x, letter) in row.chars().enumerate() {
                let at = (corner.0 + x as i64, corner.1 + y as i64);
                let digit = (b'1' + owner as u8) as char;
                self.rows[at.1 as usize][at.0 as usize] = match letter {
                    '-' | 'o' => digit,
                    '#' | '^' => letter,
                    _ => '.',
                };
                if letter == '@' {
                    self.dogs.push(RefDog {
                        owner,
                        at,
                        disabled: 0,
                        full: true,
                        voice: false,
                        moved: false,
                        barked: false,
                        hit: false,
                        helped: false,
                    });
                }
                if letter == '*' || letter == 'o' {
                    self.sheep.push(RefSheep {
                        at,
                        facing: "down",
                        left: 0,
                        memory: HashSet::new(),
                        moved: false,
                        inside: false,
                    });
                }
            }
        }
    }

    fn wrap(&self, at: At) -> At {
        (at.0.rem_euclid(self.size.0), at.1.rem_euclid(self.size.1))
    }

    fn step_from(&self, at: At, word: &str) -> At {
        let (dx, dy) = delta(word);
        self.wrap((at.0 + dx, at.1 + dy))
    }

    fn ways(&self, from: At, to: At) -> At {
        (
            way(from.0, to.0, self.size.0),
            way(from.1, to.1, self.size.1),
        )
    }

    fn letter(&self, at: At) -> char {
        self.rows[at.1 as usize][at.0 as usize]
    }

    fn sheep_at(&self, at: At) -> Option<usize> {
        self.sheep.iter().position(|sheep| sheep.at == at)
    }

    fn free(&self, at: At) -> bool {
        !"#^".contains(self.letter(at))
            && self.sheep_at(at).is_none()
            && !self.dogs.iter().any(|dog| dog.at == at)
    }

    /// `true` if the move was made.
    pub fn dog_moves(&mut self, player: usize, dog: usize, word: &str) -> bool {
        let Some(found) = self.dogs.get(dog) else {
            return false;
        };
        let to = self.step_from(found.at, word);
        let panics = found.disabled > 0 && found.full;
        if found.owner != player || found.moved || panics || !self.free(to) {
            return false;
        }
        self.dogs[dog].at = to;
        self.dogs[dog].moved = true;
        true
    }

    /// `true` if the bark was made.
    pub fn dog_barks(&mut self, player: usize, dog: usize) -> bool {
        let Some(found) = self.dogs.get(dog).cloned() else {
            return false;
        };
        if found.owner != player || found.barked || found.disabled > 0 {
            return false;
        }
        self.dogs[dog].barked = true;
        let received = |world: &Self, at: At| {
            let (dx, dy) = world.ways(found.at, at);
            dx * dx + dy * dy <= world.options[0] * world.options[0]
        };
        for other in 0..self.dogs.len() {
            if other == dog || !received(self, self.dogs[other].at) {
                continue;
            }
            let owner = self.dogs[other].owner;
            if owner == player {
                self.dogs[other].helped = true;
            } else {
                let (cx, cy) = self.corners[owner];
                let at_home = (cx..cx + self.tile.0).contains(&found.at.0)
                    && (cy..cy + self.tile.1).contains(&found.at.1);
                self.dogs[other].hit = true;
                self.dogs[other].full = !at_home;
            }
        }
        for sheep in 0..self.sheep.len() {
            if received(self, self.sheep[sheep].at) {
                let (dx, dy) = self.ways(found.at, self.sheep[sheep].at);
                let facing = if dx.abs() > dy.abs() {
                    if dx < 0 { "left" } else { "right" }
                } else if dy > 0 {
                    "down"
                } else {
                    "up"
                };
                let sheep = &mut self.sheep[sheep];
                sheep.facing = facing;
                sheep.left = self.options[1];
                sheep.memory = HashSet::new();
            }
        }
        true
    }

    /// All have ended: sheep, dogs, and the start of the next turn.
    pub fn end_turn(&mut self) {
        for sheep in &mut self.sheep {
            sheep.moved = false;
        }
        for sheep in 0..self.sheep.len() {
            if self.sheep[sheep].left > 0 {
                self.act(sheep, false);
            }
        }
        for sheep in 0..self.sheep.len() {
            self.act(sheep, false);
        }
        for sheep in 0..self.sheep.len() {
            self.contagion(sheep);
        }
        for dog in &mut self.dogs {
            if dog.disabled > 0 {
                dog.disabled -= 1;
            }
            if dog.helped {
                dog.disabled = 0;
            }
            dog.voice = dog.barked;
            if dog.hit {
                dog.disabled = self.options[2];
            }
            (dog.moved, dog.barked, dog.hit, dog.helped) = (false, false, false, false);
        }
        self.turn += 1;
        for sheep in &mut self.sheep {
            if sheep.left > 0 {
                sheep.left -= 1;
                if sheep.left == 0 {
                    sheep.memory = HashSet::new();
                }
            }
        }
    }

    fn act(&mut self, s: usize, preliminary: bool) {
        if self.sheep[s].moved {
            return;
        }
        self.sheep[s].moved = !preliminary;
        if self.sheep[s].left > 0 {
            if self.step(s, self.sheep[s].facing) {
                self.sheep[s].moved = true;
            }
            return;
        }
        let in_pen = self.letter(self.sheep[s].at).is_ascii_digit();
        if in_pen || self.turn % (self.options[3] + 1) != 0 {
            return;
        }
        let order = match self.sheep[s].facing {
            "down" => ["down", "right", "left", "up"],
            "up" => ["up", "left", "right", "down"],
            "left" => ["left", "down", "up", "right"],
            _ => ["right", "up", "down", "left"],
        };
        for word in order {
            if self.step(s, word) {
                self.sheep[s].facing = word;
                self.sheep[s].moved = true;
                return;
            }
        }
    }

    fn step(&mut self, s: usize, word: &str) -> bool {
        let to = self.step_from(self.sheep[s].at, word);
        if self.free(to) {
            self.sheep[s].at = to;
            return true;
        }
        let Some(other) = self.sheep_at(to) else {
            return false;
        };
        if !self.sheep[other].inside {
            self.sheep[other].inside = true;
            self.contagion(other);
            self.act(other, true);
            self.sheep[other].inside = false;
        }
        let freed = self.free(to);
        if freed {
            self.sheep[s].at = to;
        }
        freed
    }

    fn contagion(&mut self, s: usize) {
        if self.sheep[s].left > 0 {
            return;
        }
        let (x, y) = self.sheep[s].at;
        for (dx, dy) in [
            (-1, -1),
            (-1, 0),
            (-1, 1),
            (0, -1),
            (0, 1),
            (1, -1),
            (1, 0),
            (1, 1),
        ] {
            let Some(other) = self.sheep_at(self.wrap((x + dx, y + dy))) else {
                continue;
            };
            if self.sheep[other].left == 0 {
                continue;
            }
            if !self.sheep[other].memory.contains(&s) {
                let mut memory = self.sheep[other].memory.clone();
                memory.insert(other);
                self.sheep[s].memory = memory;
                self.sheep[s].facing = self.sheep[other].facing;
                self.sheep[s].left = self.options[1];
            }
            return;
        }
    }

    /// All players' points.
    pub fn scores(&self) -> Vec<f64> {
        (1..=self.corners.len())
            .map(|player| {
                let digit = char::from_digit(player as u32, 10).unwrap();
                let held = self.sheep.iter();
                let held = held.filter(|sheep| self.letter(sheep.at) == digit).count() as f64;
                let (all, initial) = (self.counts.0 as f64, self.counts.1 as f64);
                match held {
                    held if held == initial => 0.0,
                    held if held < initial => -10.0 * ((initial - held) / initial),
                    held => 10.0 * held / all,
                }
            })
            .collect()
    }
}
