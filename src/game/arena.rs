//! The one loop that plays a match in process, over [`Game`] and [`Bot`] alone: matches, signatures,
//! training and measuring all go through [`play`].

use crate::game::{Bot, Game, Listener, Seat, Seats};

/// Acts of one step in the order in which they arrive.
pub type Acts<G> = [(Seat, Option<<G as Game>::Act>)];

/// What surrounds a match in process: how bots are asked, and who looks on.
pub trait Arena<G: Game> {
    /// Asks a bot.
    fn decide(&mut self, seat: Seat, bot: &mut dyn Bot<G>, view: &G::View, ask: &G::Ask) -> G::Act;
    /// Whether the bot on this seat receives events. Asked once, before the match.
    fn listens(&self, seat: Seat) -> bool {
        let _ = seat;
        true
    }
    /// A bot got ready ([`Game::prepare`]) and answered this, to no effect.
    fn prepared(&mut self, seat: Seat, act: G::Act) {
        let _ = (seat, act);
    }
    /// Sees the acts of a step, in seat order, before they are played. It may change their order, and take out those
    /// that are not to be played.
    fn arrive(&mut self, game: &mut G, acts: &mut Acts<G>) {
        let _ = (game, acts);
    }
}

/// Asks bots by a closure.
struct By<F>(F);

impl<G, F> Arena<G> for By<F>
where
    G: Game,
    F: FnMut(Seat, &mut dyn Bot<G>, &G::View, &G::Ask) -> G::Act,
{
    fn decide(&mut self, seat: Seat, bot: &mut dyn Bot<G>, view: &G::View, ask: &G::Ask) -> G::Act {
        self.0(seat, bot, view, ask)
    }
}

/// A match in process that is over.
pub struct Finished<G> {
    /// Its last position.
    pub game: G,
    /// How many decisions were asked for, getting ready not counted.
    pub asks: u32,
    /// How many acts the rules refused, by seat.
    pub refused: Seats<u32>,
}

/// What is sent in one step, and whose acts were refused.
struct Events<E> {
    listens: Seats<bool>,
    sent: Vec<(Seat, E)>,
    refused: Seats<u32>,
}

impl<E> Listener<E> for Events<E> {
    fn receive(&mut self, seat: Seat, event: impl FnOnce() -> E) {
        if self.listens.get(seat) == Some(&true) {
            self.sent.push((seat, event()));
        }
    }

    fn refuse(&mut self, seat: Seat) {
        self.refused[seat] += 1;
    }
}

/// Plays one match among `bots`, by seat. All who are asked at once decide on the same position.
pub fn play<G: Game>(
    setup: &G::Setup,
    bots: &mut [Box<dyn Bot<G>>],
    arena: &mut impl Arena<G>,
) -> Finished<G> {
    let mut events = Events {
        listens: Seats::from_fn(bots.len(), |seat| arena.listens(seat)),
        sent: Vec::new(),
        refused: Seats::from_fn(bots.len(), |_| 0),
    };
    let mut game = G::open(setup, &mut events);
    send(bots, &mut events.sent);
    for (seat, bot) in (0..).map(Seat).zip(bots.iter_mut()) {
        if let Some((view, ask)) = game.prepare(seat) {
            let act = arena.decide(seat, bot.as_mut(), &view, &ask);
            arena.prepared(seat, act);
        }
    }
    let (mut acts, mut asked) = (Vec::new(), 0);
    loop {
        game.asks(|seat, ask| {
            if let Some(bot) = bots.get_mut(seat.index()) {
                game.look(seat, |view| {
                    let act = arena.decide(seat, bot.as_mut(), view, ask);
                    if G::refuses(view, ask, &act) {
                        events.refuse(seat);
                    }
                    acts.push((seat, Some(act)));
                });
            }
        });
        if acts.is_empty() {
            return Finished {
                game,
                asks: asked,
                refused: events.refused,
            };
        }
        asked += acts.len() as u32;
        arena.arrive(&mut game, &mut acts);
        game.step(&acts, &mut events);
        acts.clear();
        send(bots, &mut events.sent);
    }
}

/// [`play`] with `decide` asking the bots.
pub fn play_by<G: Game>(
    setup: &G::Setup,
    bots: &mut [Box<dyn Bot<G>>],
    decide: impl FnMut(Seat, &mut dyn Bot<G>, &G::View, &G::Ask) -> G::Act,
) -> Finished<G> {
    play(setup, bots, &mut By(decide))
}

fn send<G: Game>(bots: &mut [Box<dyn Bot<G>>], sent: &mut Vec<(Seat, G::Event)>) {
    for (seat, event) in sent.iter() {
        if let Some(bot) = bots.get_mut(seat.index()) {
            bot.observe(event);
        }
    }
    sent.clear();
}
