//! A long beam search for a lone player, and the proofs it finds: orders after which every sheep of the tile
//! stands calm in the pen, or as many as the pen has cells.

use super::deed::{Deed, deeds};
use super::simulator::print;
use super::terrain::Terrain;
use super::value::{Lens, WEIGHTS};
use super::world::World;
use crate::game::Seat;
use crate::smartdog::known::KnownMaps;
use crate::smartdog::map::Map;
use crate::smartdog::options::Options;
use crate::smartdog::rules::{DogId, Land, Orders, Players, Setup, SmartDog};
use std::collections::HashSet;
use std::fmt;

/// Tokens per line of a proof's text.
const TOKENS_A_LINE: usize = 20;
/// The only player.
const ME: Seat = Seat(0);

/// What every dog does, turn by turn; afterwards all dogs stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof(Vec<Vec<Deed>>);

impl Proof {
    /// Reads a proof: a word per turn, a letter per dog ([`Deed::letter`]). `None` for other letters.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let deeds = |word: &str| word.chars().map(Deed::from_letter).collect();
        let turns: Option<Vec<Vec<Deed>>> = text.split_whitespace().map(deeds).collect();
        turns.map(Self)
    }

    /// What `dogs` dogs did by these orders, turn by turn.
    #[must_use]
    pub fn of(turns: &[Orders], dogs: usize) -> Self {
        let ids = || (0..dogs as u16).map(DogId);
        let deeds = |orders: &Orders| ids().map(|dog| Deed::of(orders, dog)).collect();
        Self(turns.iter().map(deeds).collect())
    }

    /// Whether all sheep of the tile, or as many as the pen has cells, stand in the pen at the end.
    #[must_use]
    pub fn holds(&self, setup: &Setup) -> bool {
        let game = self.play(setup);
        game.penned()[ME] >= most_penned(&game)
    }

    /// The number of turns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing has to be done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Plays a lone match to the end by this proof.
    #[must_use]
    pub fn play(&self, setup: &Setup) -> SmartDog {
        let mut game = SmartDog::begin(setup);
        let mut turns = self.0.iter();
        while !game.is_over() {
            let deeds = turns.next().map_or(&[][..], Vec::as_slice);
            play_turn(&mut game, deeds);
        }
        game
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.0.chunks(TOKENS_A_LINE) {
            let word = |deeds: &Vec<Deed>| deeds.iter().map(|deed| deed.letter()).collect();
            let words: Vec<String> = line.iter().map(word).collect();
            writeln!(f, "{}", words.join(" "))?;
        }
        Ok(())
    }
}

fn play_turn(game: &mut SmartDog, deeds: &[Deed]) {
    for (dog, deed) in (0u16..).map(DogId).zip(deeds) {
        for command in deed.commands(dog) {
            // A refused command changes nothing.
            let _ = game.play(ME, command);
        }
    }
    game.end_all();
}

/// Whether the pen holds as many sheep as it has room for and none is running any more.
fn is_solved(game: &SmartDog) -> bool {
    let calm = |frightened: u32| frightened <= u32::from(game.is_over());
    game.penned()[ME] >= most_penned(game)
        && game.sheep().iter().all(|sheep| calm(sheep.frightened))
}

/// The most sheep that can stand in the pen at once: a cell holds one.
fn most_penned(game: &SmartDog) -> u32 {
    let torus = game.ground().torus();
    let pen = |cell: &usize| game.ground().land(torus.spot(*cell)) == Land::Pen(ME);
    let cells = (0..torus.area()).filter(pen).count();
    cells.min(game.sheep().len()) as u32
}

/// A position at the beginning of a turn, and what led to it.
struct Node {
    game: SmartDog,
    turns: Vec<Vec<Deed>>,
}

/// A choice for the first dogs in a turn.
struct Choice {
    node: usize,
    deeds: Vec<Deed>,
    value: f64,
    print: u64,
}

/// Searches for a proof with a beam of `width` positions per turn. Each dog chooses in turn, while those
/// after it are assumed to stand. `None` if the turns run out first.
#[must_use]
pub fn solve(map: &Map, options: Options, width: usize) -> Option<Proof> {
    let setup = Setup {
        map: map.clone(),
        players: Players::One,
        options,
    };
    let game = SmartDog::begin(&setup);
    let view = game.seen_by(ME);
    let world = World::new(&view, &KnownMaps::of(vec![map.clone()]));
    let mut terrain = Terrain::new(game.ground(), ME);
    let lens = Lens::new(&world, &terrain, WEIGHTS);
    let dogs = game.dogs().len();
    let mut nodes = vec![Node {
        game,
        turns: Vec::new(),
    }];
    loop {
        if let Some(solved) = nodes.iter().find(|node| is_solved(&node.game)) {
            return Some(Proof(solved.turns.clone()));
        }
        if nodes.first().is_none_or(|node| node.game.is_over()) {
            return None;
        }
        let mut choices: Vec<Choice> = (0..nodes.len())
            .map(|node| Choice {
                node,
                deeds: Vec::new(),
                value: 0.0,
                print: 0,
            })
            .collect();
        for dog in 0..dogs {
            choices = choose(&nodes, &choices, dog, width, &lens, &mut terrain);
        }
        nodes = choices
            .into_iter()
            .filter_map(|choice| {
                let node = nodes.get(choice.node)?;
                let mut game = node.game.clone();
                play_turn(&mut game, &choice.deeds);
                let mut turns = node.turns.clone();
                turns.push(choice.deeds);
                Some(Node { game, turns })
            })
            .collect();
    }
}

/// The best choices with one more dog.
fn choose(
    nodes: &[Node],
    choices: &[Choice],
    dog: usize,
    width: usize,
    lens: &Lens,
    terrain: &mut Terrain,
) -> Vec<Choice> {
    let mut more = Vec::new();
    for choice in choices {
        let Some(node) = nodes.get(choice.node) else {
            continue;
        };
        for deed in deeds(&node.game, ME, dog) {
            let mut deeds = choice.deeds.clone();
            deeds.push(deed);
            let mut game = node.game.clone();
            play_turn(&mut game, &deeds);
            more.push(Choice {
                node: choice.node,
                value: lens.value(&game, terrain),
                print: print(&game),
                deeds,
            });
        }
    }
    more.sort_by(|one, other| other.value.total_cmp(&one.value));
    let mut met = HashSet::new();
    more.retain(|choice| met.insert(choice.print));
    more.truncate(width);
    more
}
