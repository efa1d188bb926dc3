//! The referee's side of the wire: the rules sent as text, answers read as acts.

use super::cards::PLAYERS;
use super::dialect::{ANSWER_WITHIN, read_answer, write};
use super::message::Message;
use super::rules::{Ask, Koehandel, Setup, Unreachable};
use super::scene::{Settled, title};
use drover_game::game::{Game, Outcome, Seat};
use drover_game::scene::Scene;
use drover_game::wire::{Call, Noted, Reply, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that a match is refereed from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefereeSetup {
    /// What its rules start from.
    #[serde(flatten)]
    pub position: Setup,
    /// The number of the match on the wire.
    pub market: u64,
    /// Each seat's number on the wire.
    pub ids: [u64; PLAYERS],
}

/// One match, refereed.
pub struct Referee {
    setup: RefereeSetup,
    game: Koehandel,
    due: Vec<(Seat, Message)>,
    /// What was sent last.
    sent: Vec<(Seat, Message)>,
    settled: Option<Settled>,
    /// Auctions and trades settled.
    count: u32,
    /// Whether the call that asks was handed out.
    waits: bool,
    /// Answers that were refused, by seat.
    refused: [u32; PLAYERS],
}

impl Referee {
    /// A match from this position.
    ///
    /// # Errors
    /// [`Unreachable`] says what is wrong with the position.
    pub fn new(setup: RefereeSetup) -> Result<Self, Unreachable> {
        setup.position.check()?;
        let mut due = Vec::new();
        let game = Koehandel::open(&setup.position, &mut due);
        Ok(Self {
            setup,
            game,
            due,
            sent: Vec::new(),
            settled: None,
            count: 0,
            waits: false,
            refused: [0; PLAYERS],
        })
    }

    /// The match as it stands.
    #[must_use]
    pub fn game(&self) -> &Koehandel {
        &self.game
    }
}

impl Table for Referee {
    fn calls(&mut self, out: &mut Vec<Call>) {
        let first = out.len();
        for (seat, message) in &self.due {
            let id = self.setup.ids[seat.index()];
            out.extend(write(self.setup.market, id, message).map(|text| Call::send(*seat, text)));
        }
        if !self.due.is_empty() {
            self.sent.clear();
            self.sent.append(&mut self.due);
        }
        let asked = self.game.asked().map(|(seat, _)| Seat(seat as u8));
        if !self.waits
            && let Some(call) = out
                .iter_mut()
                .skip(first)
                .rfind(|call| Some(call.seat) == asked)
        {
            call.answer_within = Some(ANSWER_WITHIN);
            self.waits = true;
        }
    }

    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        let Some((asked, ask)) = self.game.asked() else {
            return;
        };
        if !self.waits || asked != seat.index() {
            return;
        }
        self.waits = false;
        let act = match reply {
            Reply::Text(body) => {
                let act = read_answer(&ask, body);
                let refused = match (&ask, &act) {
                    // An empty body is an empty reply.
                    (_, None) => !body.trim_ascii().is_empty(),
                    // Whatever is no raise is a pass.
                    (Ask::Bid { .. } | Ask::PreEmpt { .. }, _) => false,
                    (ask, Some(act)) => self
                        .game
                        .look(seat, |view| Koehandel::refuses(view, ask, act)),
                };
                self.refused[asked] += u32::from(refused);
                act
            }
            Reply::Late | Reply::Failed | Reply::Early(_) => None,
        };
        self.game.play(act, &mut self.due);
        if let Some(settled) = Settled::from_messages(&self.due) {
            self.settled = Some(settled);
            self.count = self.count.saturating_add(1);
        }
    }

    fn waits(&self, seat: Seat) -> bool {
        self.waits
            && self
                .game
                .asked()
                .is_some_and(|(asked, _)| asked == seat.index())
    }

    fn noted(&self, seat: Seat) -> Noted {
        let refused = self.refused.get(seat.index()).copied();
        Noted {
            refused: refused.unwrap_or_default(),
            ..Noted::default()
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn scene(&self) -> Option<Scene> {
        let last = match self.due.as_slice() {
            [] => &self.sent,
            due => due,
        };
        let state = self.game.shown(self.settled.clone());
        let title = title(last, state.auction.as_ref());
        let title = title.unwrap_or_else(|| "The match begins".to_owned());
        Some(Scene::new(self.count, title, &state))
    }

    fn setup(&self) -> Value {
        // A setup of plain numbers and letters always serialises.
        serde_json::to_value(&self.setup).unwrap_or_default()
    }
}
