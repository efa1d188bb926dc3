//! The referee's side of the wire: the rules told as text, answers read as acts.

use super::dialect::{ANSWER_WITHIN, read_answer, write};
use super::message::Message;
use super::rules::{Koehandel, Setup};
use crate::game::{Game, Outcome, Seat};
use crate::kit::SetupError;
use crate::wire::{Call, Reply, Table};
use serde_json::{Value, json};

/// One match, refereed.
pub struct Referee {
    setup: Setup,
    market: u64,
    ids: [u64; 4],
    game: Koehandel,
    heard: Vec<(Seat, Message)>,
    /// Whether the call that asks was handed out.
    waits: bool,
}

impl Referee {
    /// A match from this position.
    ///
    /// # Errors
    /// [`SetupError`] says what is wrong with the position.
    pub fn new(setup: Setup, market: u64, ids: [u64; 4]) -> Result<Self, SetupError> {
        setup.check().map_err(SetupError)?;
        let mut heard = Vec::new();
        let game = Koehandel::begin(&setup, &mut heard);
        Ok(Self {
            setup,
            market,
            ids,
            game,
            heard,
            waits: false,
        })
    }

    /// The match that [`Table::setup`] described.
    ///
    /// # Errors
    /// [`SetupError`] says which part is missing or does not fit.
    pub fn reopen(setup: &Value) -> Result<Self, SetupError> {
        let error = |why: &str| SetupError(format!("koehandel setup: {why}"));
        let mut position = setup.clone();
        let fields = position
            .as_object_mut()
            .ok_or_else(|| error("it must be an object"))?;
        let market = fields
            .remove("market")
            .and_then(|market| market.as_u64())
            .ok_or_else(|| error("market must be a number"))?;
        let ids = fields
            .remove("ids")
            .and_then(|ids| serde_json::from_value(ids).ok())
            .ok_or_else(|| error("ids must be four numbers"))?;
        let setup = serde_json::from_value(position).map_err(|why| error(&why.to_string()))?;
        Self::new(setup, market, ids)
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
        for (seat, message) in self.heard.drain(..) {
            let id = self.ids[seat.index() % self.ids.len()];
            out.extend(write(self.market, id, &message).map(|text| Call::tell(seat, text)));
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
            Reply::Text(body) => read_answer(&ask, body),
            Reply::Late | Reply::Failed => None,
        };
        self.game.play(act, &mut self.heard);
    }

    fn waits(&self, seat: Seat) -> bool {
        self.waits
            && self
                .game
                .asked()
                .is_some_and(|(asked, _)| asked == seat.index())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn setup(&self) -> Value {
        // A setup of plain numbers and letters always serialises.
        let mut setup = serde_json::to_value(&self.setup).unwrap_or_default();
        if let Some(fields) = setup.as_object_mut() {
            fields.insert("market".into(), self.market.into());
            fields.insert("ids".into(), json!(self.ids));
        }
        setup
    }
}
