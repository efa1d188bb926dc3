//! A bot's side of the wire: a hub's lines in, orders out.

use super::cartographer::{Cartographer, map_name};
use super::dialect::{END, Finish, Line, Message, Object, Start, cells, orders, read, receive};
use super::facts::Facts;
use super::options::Key;
use super::rules::{
    Ask, Command, DogId, Event, Ground, Orders, Refusal, Seen, SeenDog, SmartDog, View,
};
use super::scene::State;
use drover_game::explain::{Explanation, explain};
use drover_game::game::{Bot, Budget, Cause, Progress, Seat};
use drover_game::scene::{Scene, Who};
use drover_game::wire::{Dialogue, Ending, Fact, Frame, Lesson, Next, WireError};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// The hub that is played on where none is named.
const USUAL_HUB: &str = "default";
/// Dogs whose numbers are remembered, foreign ones included: all that fit four of the largest tiles.
const DOGS_MAX: usize = 400;
/// Objects of one turn that are looked at: every dog and sheep of four of the largest tiles.
const OBJECTS_MAX: usize = 2_400;

/// One seat's side of one match, played by any bot.
pub struct Player {
    bot: Box<dyn Bot<SmartDog>>,
    door: Door,
    start: Option<Box<Start>>,
    ground: Option<Arc<Ground>>,
    /// Wire numbers of dogs, by [`DogId`].
    dogs: Vec<u64>,
    /// The turn whose orders are wanted.
    view: Option<Arc<View>>,
    orders: Orders,
    turn: u32,
    /// The turn that was folded last with what was seen in it, and what was answered.
    last: Option<(Arc<View>, Option<Frame>)>,
    /// A turn that was not folded, since its number was lower than the one before.
    doubted: Option<u32>,
    facts: Facts,
    cartographer: Cartographer,
    /// The name of the map that is played on, once a match has begun.
    map: Option<String>,
    /// How the match ended, in a sentence.
    ended: Option<String>,
    /// The highest turn that was folded: scenes do not go back where a hub does.
    highest: u32,
}

/// What is said to be let in.
struct Door {
    name: String,
    hub: String,
    /// How often the hub has been asked for, each time written in another way.
    tries: u8,
}

impl Player {
    /// A player before the first word. `hub`: with or without the sign before it.
    #[must_use]
    pub fn new(bot: Box<dyn Bot<SmartDog>>, name: &str, hub: &str) -> Self {
        Self {
            bot,
            door: Door {
                name: name.to_owned(),
                hub: hub.to_owned(),
                tries: 0,
            },
            start: None,
            ground: None,
            dogs: Vec::new(),
            view: None,
            orders: Orders::new(),
            turn: 0,
            last: None,
            doubted: None,
            facts: Facts::default(),
            cartographer: Cartographer::new(),
            map: None,
            ended: None,
            highest: 0,
        }
    }

    fn begins(&mut self, rows: &[String]) -> Result<(), WireError> {
        let Some(Start { torus, announced }) = self.start.as_deref() else {
            return Err(WireError::new("landscape", "it came before start"));
        };
        let land = cells(rows, announced.players);
        let ground = Ground::from_start(*torus, land, announced)
            .map_err(|why| WireError::new("landscape", why.to_string()))?;
        // The same one sent again changes nothing.
        if self.last.is_some() && self.ground.as_deref() == Some(&ground) {
            return Ok(());
        }
        (self.last, self.doubted, self.ended) = (None, None, None);
        self.map = map_name(&ground, announced.seat);
        self.facts
            .begins(&ground, announced.seat, self.map.as_deref());
        self.ground = Some(Arc::new(ground));
        Ok(())
    }

    fn notify(&mut self, event: &Event) {
        self.cartographer.observe(event);
        self.bot.observe(event);
    }

    /// The label of the dog with this number on the wire.
    fn label(&mut self, number: u64) -> Option<DogId> {
        let known = self.dogs.iter().position(|dog| *dog == number);
        let at = known.or_else(|| {
            let at = self.dogs.len();
            (at < DOGS_MAX).then(|| self.dogs.push(number)).map(|()| at)
        })?;
        u16::try_from(at).ok().map(DogId)
    }

    fn seen(&mut self, ground: &Ground, object: Object) -> Option<Seen> {
        if !ground.torus().contains(object.spot()) {
            return None;
        }
        Some(match object {
            Seen::Dog(dog) => Seen::Dog(SeenDog {
                id: self.label(dog.id)?,
                spot: dog.spot,
                owner: ground.tiles().get(dog.owner).map(|_| dog.owner)?,
                action: dog.action,
                voice: dog.voice,
            }),
            Seen::Sheep(sheep) => Seen::Sheep(sheep),
            Seen::Voice(spot) => Seen::Voice(spot),
        })
    }

    /// A turn: what is seen now, and the orders that are wanted.
    fn asked(&mut self, seen: Vec<Seen>) -> Result<Next, WireError> {
        let (Some(ground), Some(start)) = (&self.ground, &self.start) else {
            return Err(WireError::new("turn", "it came before start and landscape"));
        };
        let within = u64::from(start.announced.options.get(Key::WaitForTurn));
        let view = Arc::new(View {
            seat: start.announced.seat,
            turn: self.turn,
            ground: Arc::clone(ground),
            seen,
        });
        if let Some(next) = self.answered(&view) {
            return Ok(next);
        }
        self.highest = self.highest.max(view.turn);
        self.last = Some((Arc::clone(&view), None));
        self.facts.sees(&view);
        self.notify(&Event::Turn(Arc::clone(&view)));
        self.view = Some(view);
        Ok(Next::Think {
            limit: Duration::from_millis(within),
            target: None,
            fallback: END.to_owned(),
        })
    }

    /// A turn that comes again is answered again. One of an earlier number is old, or the one before was
    /// wrong; one with more sheep than there are is wrong: `None` if it is to be folded.
    fn answered(&mut self, view: &View) -> Option<Next> {
        if let Some((answered, Some(said))) = &self.last
            && **answered == *view
        {
            return Some(Next::Send(said.clone()));
        }
        let answered = self.last.as_ref().map(|(answered, _)| answered.turn);
        let sheep = view
            .seen
            .iter()
            .filter(|seen| matches!(seen, Seen::Sheep(_)))
            .count();
        let most = view.ground.sheep_of_tile() as usize * view.ground.tiles().len();
        let why = if most > 0 && sheep > most {
            format!("{sheep} sheep of {most} are in sight")
        } else if answered.is_some_and(|answered| view.turn < answered)
            && self.doubted.is_none_or(|doubted| view.turn <= doubted)
        {
            // Of two that follow each other the second is believed.
            self.doubted = Some(view.turn);
            format!("turn {} is over", view.turn)
        } else {
            self.doubted = None;
            return None;
        };
        self.turn = answered.unwrap_or(self.turn);
        self.facts.unsound("turn", &why);
        // Nothing is thought about without a view.
        Some(Next::Think {
            limit: Duration::from_millis(u64::from(view.ground.options().get(Key::WaitForTurn))),
            target: None,
            fallback: END.to_owned(),
        })
    }

    fn warned(&mut self, dog: Option<u64>, why: &str) {
        let label = self.dogs.iter().position(|number| Some(*number) == dog);
        let about_bark = why.contains("bark");
        let command = self.orders.iter().find(|command| match command {
            Command::Move(id, _) => !about_bark && Some(id.index()) == label,
            Command::Bark(id) => about_bark && Some(id.index()) == label,
        });
        self.facts.warned(dog, why);
        if let (Some(command), Some(why)) = (command.copied(), Refusal::from_text(why)) {
            self.notify(&Event::Refused { command, why });
        }
    }

    /// An error of the hub. Before the match the other way to write the hub's name is tried once: hubs
    /// of before October 2012 want a sign before it, later ones do not.
    fn turned_away(&mut self, why: &str) -> Next {
        if self.ground.is_some() {
            self.facts.note("error", json!({ "text": why }));
            return Next::Wait;
        }
        if self.door.tries < 2 && why.to_lowercase().contains("hub") {
            return Next::Send(self.join());
        }
        Next::Over(Ending::new(
            Cause::InitFailure,
            format!("the hub does not let us in: {why}"),
        ))
    }

    fn join(&self) -> String {
        let Door { name, hub, tries } = &self.door;
        let bare = hub.trim_start_matches('#');
        let other = if hub.starts_with('#') {
            bare.to_owned()
        } else {
            format!("#{bare}")
        };
        match (tries, bare) {
            (0, "") => format!("join {name}"),
            (0, _) => format!("join {name} {hub}"),
            (_, "") => format!("join {name} {USUAL_HUB}"),
            (_, _) => format!("join {name} {other}"),
        }
    }

    fn finished(&mut self, finish: &Finish) -> Next {
        let Some(start) = self.start.as_deref().filter(|_| self.ground.is_some()) else {
            let error = finish.error.as_deref();
            let error = error.map_or_else(String::new, |error| format!(": {error}"));
            let why = format!("the hub ended the game before it began{error}");
            return Next::Over(Ending::new(Cause::InitFailure, why));
        };
        let (own, players) = (start.announced.seat, start.announced.players.count());
        let winner = finish.winner.map(|seat| seat.0 + 1);
        self.notify(&Event::Over {
            winner: finish.winner,
        });
        self.facts.note(
            "result",
            json!({"won": finish.wins, "winner": winner, "error": finish.error}),
        );
        if let Some(error) = &finish.error {
            let why = format!("the hub gave the match up: {error}");
            self.ended = Some(why.clone());
            return Next::Over(Ending::new(Cause::Disconnect, why));
        }
        let own_win = finish.wins == Some(true);
        self.facts.ended(winner.is_some() || own_win);
        let detail = match winner {
            Some(winner) => format!("player {winner} won"),
            None if own_win => "won".to_owned(),
            None => "nobody won".to_owned(),
        };
        self.ended = Some(match finish.winner {
            Some(winner) => format!("{} has won", Who(winner.index())),
            None => detail.clone(),
        });
        let won = finish.winner.or(own_win.then_some(own));
        let wins = (0..players).map(|step| {
            let seat = (own.index() + step) % players;
            f64::from(u8::from(won.map(Seat::index) == Some(seat)))
        });
        Next::Over(Ending {
            wins: wins.collect(),
            ..Ending::new(Cause::Normal, detail)
        })
    }

    /// The number on the wire of a dog that was seen.
    #[must_use]
    pub fn number(&self, dog: DogId) -> Option<u64> {
        self.dogs.get(dog.index()).copied()
    }

    fn written(&self, given: &Orders) -> Frame {
        orders(given, |id| self.number(id))
    }

    fn parsed(&self, frame: &str) -> Orders {
        let label = |number: &str| {
            let number: u64 = number.parse().ok()?;
            let at = self.dogs.iter().position(|dog| *dog == number)?;
            u16::try_from(at).ok().map(DogId)
        };
        let command = |line| match receive(line) {
            Line::Move { dog, direction, .. } => Some(Command::Move(label(dog)?, direction?)),
            Line::Bark { dog } => Some(Command::Bark(label(dog)?)),
            _ => None,
        };
        frame.lines().filter_map(command).collect()
    }
}

impl Dialogue for Player {
    fn open(&mut self) -> Option<Frame> {
        Some(self.join())
    }

    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        // Checked as a whole first: that is the quicker way for what is text.
        let text = std::str::from_utf8(frame);
        let text = text.map_or_else(|_| String::from_utf8_lossy(frame), Cow::Borrowed);
        let mut seen = Vec::new();
        let mut next = Next::Wait;
        self.view = None;
        for line in text.lines() {
            let message = read(line).map_err(|why| WireError::new("start", why.to_string()));
            match message.inspect_err(|why| self.facts.unsound(why.field, &why.why))? {
                Message::Start(start) => self.start = Some(start),
                Message::Landscape(rows) => self.begins(&rows)?,
                Message::State(turn) => {
                    seen.clear();
                    self.turn = turn.unwrap_or_else(|| self.turn.saturating_add(1));
                }
                Message::Object(object) => {
                    if let Some(ground) = self.ground.clone()
                        && seen.len() < OBJECTS_MAX
                    {
                        seen.extend(self.seen(&ground, object));
                    }
                }
                Message::Turn => next = self.asked(std::mem::take(&mut seen))?,
                Message::Warning { dog, why } => self.warned(dog, &why),
                Message::Error(why) => next = self.turned_away(&why),
                Message::Finished(finish) => next = self.finished(&finish),
                Message::Wait | Message::Unknown => {}
            }
        }
        Ok(next)
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        let Some(view) = self.view.clone() else {
            return Progress::Done;
        };
        let ask = Ask { turn: view.turn };
        let (orders, progress) = self.bot.ponder(&view, &ask, slice);
        *best = self.written(&orders);
        progress
    }

    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        let view = self.view.as_deref()?;
        let ask = Ask { turn: view.turn };
        let write = |orders: &Orders| Some(self.written(orders));
        let reasons = self.bot.clone().reasons(view, &ask, budget);
        Some(explain(reasons, write, Frame::new(), Vec::new()))
    }

    fn said(&mut self, frame: &str) {
        if let Line::Join { name, hub } = receive(frame) {
            if self.door.tries == 0 {
                name.clone_into(&mut self.door.name);
                hub.unwrap_or_default().clone_into(&mut self.door.hub);
            }
            self.door.tries = self.door.tries.saturating_add(1);
            return;
        }
        if let Some(view) = self.view.take() {
            if let Some((_, answer)) = &mut self.last {
                *answer = Some(frame.to_owned());
            }
            self.orders = self.parsed(frame);
            let ask = Ask { turn: view.turn };
            self.bot.answered(&view, &ask, Some(&self.orders));
            self.facts.ordered(&self.orders);
            self.notify(&Event::Ordered(self.orders.clone()));
        }
    }

    fn facts(&mut self) -> Vec<Fact> {
        self.facts.take()
    }

    /// The map: what was seen of where its dogs and sheep start.
    fn lessons(&self) -> Vec<Lesson> {
        let evidence = self.cartographer.evidence();
        let known = self.map.clone().filter(|_| !evidence.is_null());
        known
            .map(|name| Lesson {
                rival: "map".to_owned(),
                kind: Some((name, 1.0)),
                evidence,
            })
            .into_iter()
            .collect()
    }

    fn view(&self) -> Value {
        self.facts.view()
    }

    fn scene(&self) -> Option<Scene> {
        let (view, _) = self.last.as_ref()?;
        let (penned, points) = self.facts.standing();
        let state = State::seen(view, |dog| self.number(dog), penned, points);
        let scene = state.scene(self.ended.as_deref());
        Some(Scene {
            turn: self.highest.saturating_sub(1),
            ..scene
        })
    }
}
