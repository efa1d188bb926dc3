//! A bot's side: what it receives, read as leniently as other engines may write it, and what it sends.

use crate::map::{LIGHTHOUSES_MAX, SIDE_MAX};
use crate::rules::{Act, Beacon, Cell, Chart, PLAYERS, Point, Refusal, View};
use drover_game::game::Seat;
use drover_game::wire::WireError;
use serde::{Deserialize, Deserializer};
use std::sync::Arc;

/// A message from the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The game begins.
    Begin(Box<Begin>),
    /// It is the player's turn.
    State(State),
    /// The result of the player's command.
    Result(Result<(), Refusal>),
}

/// The first message to a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Begin {
    /// The player's number.
    pub seat: Seat,
    /// The number of players.
    pub players: usize,
    /// The start cell.
    pub position: Cell,
    /// The island.
    pub chart: Arc<Chart>,
}

/// A state as on the wire.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct State {
    position: Place,
    score: Whole,
    energy: Whole,
    view: Vec<Vec<Whole>>,
    lighthouses: Vec<ReportedLighthouse>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct ReportedLighthouse {
    position: Place,
    #[serde(default)]
    owner: Option<Whole>,
    energy: Whole,
    #[serde(default)]
    connections: Vec<Place>,
    #[serde(default)]
    have_key: bool,
}

/// A whole number, even if an engine writes it as 12.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Whole(i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Whole;
            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a whole number")
            }
            fn visit_i64<E>(self, number: i64) -> Result<Whole, E> {
                Ok(Whole(number))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Whole, E> {
                Ok(Whole(i64::try_from(number).unwrap_or(i64::MAX)))
            }
            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Whole, E> {
                if number.fract() == 0.0 {
                    Ok(Whole(number as i64))
                } else {
                    Err(E::custom(format!("{number} is no whole number")))
                }
            }
            fn visit_bool<E>(self, truth: bool) -> Result<Whole, E> {
                Ok(Whole(truth.into()))
            }
        }
        source.deserialize_any(Visitor)
    }
}

/// Where something is, `[x, y]`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
struct Place(Whole, Whole);

impl From<Place> for Point {
    fn from(place: Place) -> Self {
        let coordinate = |number: Whole| i32::try_from(number.0).unwrap_or(-1);
        Point {
            x: coordinate(place.0),
            y: coordinate(place.1),
        }
    }
}

/// The keys that distinguish the messages.
#[derive(Deserialize)]
struct Any {
    player_num: Option<Whole>,
    player_count: Option<Whole>,
    position: Option<Place>,
    map: Option<Vec<Vec<Whole>>>,
    success: Option<bool>,
    #[serde(default)]
    message: Option<String>,
}

/// The message of a line.
///
/// # Errors
/// [`WireError`] names the field that is missing or wrong.
pub fn read(line: &[u8]) -> Result<Message, WireError> {
    let object = line.trim_ascii_start().first() == Some(&b'{');
    if !object {
        return Err(WireError::new("message", "it is no JSON object"));
    }
    // States are the most frequent.
    if let Ok(state) = serde_json::from_slice::<State>(line) {
        return Ok(Message::State(state));
    }
    let any: Any =
        serde_json::from_slice(line).map_err(|why| WireError::new("message", why.to_string()))?;
    if let Some(success) = any.success {
        return Ok(Message::Result(if success {
            Ok(())
        } else {
            Err(Refusal::worded(any.message.as_deref().unwrap_or_default()))
        }));
    }
    if any.player_num.is_none() {
        let why = serde_json::from_slice::<State>(line).err();
        let why = why.map(|why| why.to_string()).unwrap_or_default();
        return Err(WireError::new("state", why));
    }
    #[derive(Deserialize)]
    struct Towers {
        lighthouses: Vec<Place>,
    }
    let towers: Towers = serde_json::from_slice(line)
        .map_err(|why| WireError::new("lighthouses", why.to_string()))?;
    begin(any, &towers.lighthouses).map(|begin| Message::Begin(Box::new(begin)))
}

/// The own seat and the number of seats, if a line begins a game.
#[must_use]
pub fn seating(line: &[u8]) -> Option<(Seat, u8)> {
    #[derive(Deserialize)]
    struct Head {
        player_num: Whole,
        player_count: Whole,
    }
    // States are the most frequent, and are not read in full for this.
    let mark = b"\"player_num\"";
    line.windows(mark.len()).find(|word| word == mark)?;
    let head: Head = serde_json::from_slice(line).ok()?;
    let seats = usize::try_from(head.player_count.0).ok();
    let seats = seats.filter(|seats| PLAYERS.contains(seats))? as u8;
    let seat = u8::try_from(head.player_num.0).ok()?;
    (seat < seats).then_some((Seat(seat), seats))
}

fn begin(any: Any, towers: &[Place]) -> Result<Begin, WireError> {
    let missing = |field| WireError::new(field, "it is missing");
    let players = any.player_count.ok_or_else(|| missing("player_count"))?.0;
    let players = usize::try_from(players)
        .ok()
        .filter(|players| PLAYERS.contains(players))
        .ok_or_else(|| WireError::new("player_count", format!("{players} cannot play")))?;
    let number = any.player_num.ok_or_else(|| missing("player_num"))?.0;
    let seat = u8::try_from(number)
        .ok()
        .filter(|seat| usize::from(*seat) < players)
        .ok_or_else(|| {
            WireError::new("player_num", format!("there is no {number} of {players}"))
        })?;
    let map = any.map.ok_or_else(|| missing("map"))?;
    let (height, width) = (map.len(), map.first().map_or(0, Vec::len));
    if width == 0 || width > SIDE_MAX || height > SIDE_MAX {
        let why = format!("it is {width} x {height}; at most {SIDE_MAX} x {SIDE_MAX} is played on");
        return Err(WireError::new("map", why));
    }
    if map.iter().any(|row| row.len() != width) {
        return Err(WireError::new("map", "its rows differ in length"));
    }
    if towers.is_empty() || towers.len() > LIGHTHOUSES_MAX {
        let why = format!(
            "{} of them; 1 to {LIGHTHOUSES_MAX} are played with",
            towers.len()
        );
        return Err(WireError::new("lighthouses", why));
    }
    let island: Vec<bool> = map.iter().flatten().map(|cell| cell.0 != 0).collect();
    let mut lighthouses: Vec<Point> = Vec::with_capacity(towers.len());
    for at in towers.iter().copied().map(Point::from) {
        let on_map = usize::try_from(at.x)
            .ok()
            .zip(usize::try_from(at.y).ok())
            .filter(|(x, y)| *x < width && *y < height);
        if !on_map.is_some_and(|(x, y)| island[y * width + x]) || lighthouses.contains(&at) {
            let why = format!("[{}, {}] is not on the island, or stands twice", at.x, at.y);
            return Err(WireError::new("lighthouses", why));
        }
        lighthouses.push(at);
    }
    let chart = Arc::new(Chart::new(width, island, &lighthouses));
    let position = any.position.ok_or_else(|| missing("position"))?;
    let position = on_island(&chart, position.into())?;
    Ok(Begin {
        seat: Seat(seat),
        players,
        position,
        chart,
    })
}

fn on_island(chart: &Chart, at: Point) -> Result<Cell, WireError> {
    let cell = chart.cell(at).filter(|_| chart.is_island(at));
    let why = || format!("[{}, {}] is not on the island", at.x, at.y);
    cell.ok_or_else(|| WireError::new("position", why()))
}

impl State {
    /// The state on this chart, where `round` is the number of finished rounds.
    ///
    /// # Errors
    /// [`WireError`] names what does not fit the chart.
    pub fn on(&self, chart: &Chart, round: u32) -> Result<View, WireError> {
        let centre = Point::from(self.position);
        let position = on_island(chart, centre)?;
        let mut beacons = vec![Beacon::default(); chart.lighthouses().len()];
        let mut keys = 0;
        let find = |place: Place| {
            let at = Point::from(place);
            let cell = chart.cell(at);
            let found = cell.and_then(|cell| chart.lighthouse_at(cell));
            found.ok_or_else(|| {
                let why = format!("[{}, {}] is none of the game's", at.x, at.y);
                WireError::new("lighthouses", why)
            })
        };
        for lighthouse in &self.lighthouses {
            let at = find(lighthouse.position)?;
            let owner = lighthouse.owner.filter(|owner| owner.0 >= 0);
            let owner = owner.map(|owner| {
                u8::try_from(owner.0)
                    .map(Seat)
                    .map_err(|_| WireError::new("owner", format!("there is no player {}", owner.0)))
            });
            let beacon = &mut beacons[at.index()];
            beacon.owner = owner.transpose()?;
            beacon.energy = u32::try_from(lighthouse.energy.0.max(0)).unwrap_or(u32::MAX);
            for to in &lighthouse.connections {
                beacon.links |= find(*to)?.bit();
            }
            if lighthouse.have_key {
                keys |= at.bit();
            }
        }
        Ok(View {
            round,
            position,
            score: self.score.0,
            energy: u32::try_from(self.energy.0.max(0)).unwrap_or(u32::MAX),
            keys,
            seen: self.seen(chart, centre),
            beacons,
        })
    }

    /// The island cells in sight: the player stands in the middle of the view, whatever its size.
    fn seen(&self, chart: &Chart, centre: Point) -> Vec<(Cell, u8)> {
        let reach = (self.view.len() / 2).min(SIDE_MAX) as i32;
        let mut seen = Vec::new();
        for (dy, row) in (-reach..=reach).zip(&self.view) {
            let middle = (row.len() / 2).min(SIDE_MAX) as i32;
            for (dx, energy) in (-middle..=middle).zip(row) {
                let at = Point::from((centre.x + dx, centre.y + dy));
                if let (Ok(energy), Some(cell)) = (u8::try_from(energy.0), chart.cell(at))
                    && chart.is_island(at)
                {
                    seen.push((cell, energy));
                }
            }
        }
        seen
    }
}

/// The answer to the first message.
#[must_use]
pub fn greet(name: &str) -> String {
    serde_json::json!({ "name": name }).to_string()
}

/// What a player does with its turn.
#[must_use]
pub fn write(chart: &Chart, act: Act) -> String {
    match act {
        Act::Pass => PASS.to_owned(),
        Act::Move(step) => format!(
            "{{\"command\": \"move\", \"x\": {}, \"y\": {}}}",
            step.dx, step.dy
        ),
        Act::Attack(energy) => format!("{{\"command\": \"attack\", \"energy\": {energy}}}"),
        Act::Connect(to) => match chart.lighthouses().get(to.index()) {
            Some(cell) => {
                let Point { x, y } = chart.point(*cell);
                format!("{{\"command\": \"connect\", \"destination\": [{x}, {y}]}}")
            }
            None => PASS.to_owned(),
        },
    }
}

/// A turn that passes.
pub const PASS: &str = "{\"command\": \"pass\"}";
