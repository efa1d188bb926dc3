//! What happened last, and the scene of it.

use super::face::face;
use super::state::{Played, Player, Result, State, Taken};
use crate::cards::{Card, CardSet, Deck};
use crate::rules::{Game, Play, Round};
use drover_game::game::{Seat, Seats};
use drover_game::scene::{Scene, Who};

/// What happened last.
#[derive(Clone, Copy, Debug)]
enum Last {
    Begins,
    Dealt,
    Declared(Seat, u8),
    /// With it the deal may end.
    Played {
        play: Play,
        ends: bool,
    },
    Lost(Seat),
}

/// Keeps what the position does not hold any more: what happened last, the last trick and the deal before.
#[derive(Clone, Debug)]
pub struct Watch {
    last: Last,
    trick: Option<(Vec<Play>, Seat)>,
    before: Option<Vec<Result>>,
    /// The tricks that were taken.
    turn: u32,
}

/// A position, as far as it is known to whom it is shown.
pub(crate) struct Position<'a> {
    pub game: &'a Game,
    /// The deal's index, from 0.
    pub deal: usize,
    pub round: &'a Round,
    /// The cards on the table.
    pub trick: &'a [Play],
    /// Hands, where known.
    pub hands: Seats<Option<CardSet>>,
    /// Declarations, where known.
    pub declared: Seats<Option<u8>>,
    pub points: &'a Seats<i64>,
    pub own: Option<Seat>,
    pub over: bool,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            last: Last::Begins,
            trick: None,
            before: None,
            turn: 0,
        }
    }
}

impl Watch {
    /// A game begins. Turns go on where an arbiter begins another one.
    pub fn begins(&mut self) {
        *self = Self {
            turn: self.turn,
            ..Self::default()
        };
    }

    /// A deal begins.
    pub fn dealt(&mut self) {
        (self.last, self.trick) = (Last::Dealt, None);
    }

    /// A player has declared.
    pub fn declared(&mut self, seat: Seat, tricks: u8) {
        self.last = Last::Declared(seat, tricks);
    }

    /// A card was played, after which the deal stands so.
    pub fn played(&mut self, seat: Seat, card: Card, round: &Round) {
        let play = Play { seat, card };
        let ends = round.is_over();
        self.last = Last::Played { play, ends };
        let played = round.played();
        if round.trick().is_empty() && played.last() == Some(&play) {
            let first = played.len().saturating_sub(round.players());
            let cards = played.get(first..).unwrap_or_default();
            self.trick = Some((cards.to_vec(), round.leader()));
            self.turn = self.turn.saturating_add(1);
        }
        if ends {
            let points = round.points();
            let result = |(seat, taken): (Seat, &u8)| Result {
                declared: round.declared().get(seat).copied().flatten(),
                taken: *taken,
                points: points.get(seat).copied().unwrap_or_default(),
            };
            self.before = Some(round.taken().iter().map(result).collect());
        }
    }

    /// A player has lost the game.
    pub fn lost(&mut self, seat: Seat) {
        self.last = Last::Lost(seat);
    }

    /// The scene. The deal before this one is the one just ended while the next is not dealt yet.
    #[must_use]
    pub(crate) fn scene(&self, position: &Position<'_>) -> Scene {
        let state = self.state(position);
        Scene::new(self.turn, self.title(position, &state), &state)
    }

    fn title(&self, position: &Position<'_>, state: &State) -> String {
        match self.last {
            Last::Begins => "The game begins".to_owned(),
            Last::Dealt => {
                let s = if state.cards == 1 { "" } else { "s" };
                format!("Deal {}: {} card{s} each", state.deal, state.cards)
            }
            Last::Declared(seat, tricks) => {
                let mut title = format!("{} declares {tricks}", Who(seat.index()));
                if state.deals > 1 {
                    title.push_str(&format!(" in deal {}", state.deal));
                }
                title
            }
            Last::Lost(seat) => format!("{} has lost the game by a fault", Who(seat.index())),
            Last::Played { play, ends } => {
                let card = face(&position.game.deck().text(play.card));
                let mut title = format!("{} plays {card}", Who(play.seat.index()));
                let trick = self.trick.as_ref();
                if let Some((cards, taker)) = trick
                    && cards.last() == Some(&play)
                {
                    title.push_str(&format!("; {} takes the trick", Who(taker.index())));
                }
                if position.over {
                    title.push_str(" and the game is over");
                } else if ends {
                    title.push_str(" and the deal is over");
                }
                title
            }
        }
    }

    fn state(&self, position: &Position<'_>) -> State {
        let (game, round) = (position.game, position.round);
        let deck = game.deck();
        let played = |play: &Play| Played {
            by: play.seat.0,
            card: deck.text(play.card),
        };
        State {
            trump: deck.suits().chars().next().unwrap_or_default(),
            deal: position.deal + 1,
            deals: game.deals().len(),
            cards: round.cards(),
            players: round
                .taken()
                .iter()
                .map(|(seat, taken)| shown(position, seat, *taken))
                .collect(),
            own: position.own.map(|seat| seat.0),
            leader: round.leader().0,
            to_play: round.to_play().map(|seat| seat.0),
            trick: position.trick.iter().map(played).collect(),
            last: self.trick.as_ref().map(|(cards, taker)| Taken {
                cards: cards.iter().map(played).collect(),
                by: taker.0,
            }),
            before: self.before.clone(),
            loser: match self.last {
                Last::Lost(seat) => Some(seat.0),
                _ => None,
            },
            over: position.over,
        }
    }
}

fn shown(position: &Position<'_>, seat: Seat, taken: u8) -> Player {
    let deck = position.game.deck();
    let hand = position.hands.get(seat).copied().flatten();
    let played = position.round.played().iter();
    let played = played.filter(|play| play.seat == seat).count();
    let dealt = usize::from(position.round.cards());
    Player {
        hand: hand.map(|cards| texts(deck, cards)),
        held: hand.map_or(dealt.saturating_sub(played), CardSet::len),
        declared: position.declared.get(seat).copied().flatten(),
        taken,
        points: position.points.get(seat).copied().unwrap_or_default(),
    }
}

fn texts(deck: &Deck, cards: CardSet) -> Vec<String> {
    cards.iter().map(|card| deck.text(card)).collect()
}
