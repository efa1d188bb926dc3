//! Planowanie as a contest: what is its own.

use super::bots;
use super::cards::Card;
use super::clock;
use super::dialect::{self, Command, REPLY_LINE_MAX};
use super::facts::{self, Record};
use super::options::{OPTIONS, Options};
use super::player::{Player, default_reply};
use super::referee::{Referee, RefereeSetup};
use super::rules::{Act, Ask, LOSER, PLAYERS, Planowanie, Setup, View};
use super::scene;
use super::sentences;
use drover_game::card::{GameCard, Limits, Places, Scores, StdioWire, Wire};
use drover_game::contest::{Advice, Bout, Contest, Deal, Decision, Erased};
use drover_game::counts::Counted;
use drover_game::dialect::{Dialect, ReplyLine, Route};
use drover_game::game::{Bot, Budget, Cause, Duel, Illegal, Outcome, Seat, Seats, SetupError};
use drover_game::kit::{DialogueSetup, Pace};
use drover_game::wire::{Dialogue, Table, WireError};
use std::time::Duration;

/// The longest time for a game in the contest, which bounds a single answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(15 * 60);

/// Planowanie.
pub static KIT: Erased<Planowanie> = Erased::NEW;

impl Contest for Planowanie {
    type Options = Options;
    type Refereed = RefereeSetup;
    type Known = ();

    const CARD: &'static GameCard = &GameCard {
        name: "planowanie",
        title: "Planowanie",
        seats: PLAYERS,
        bots: bots::CARDS,
        options: OPTIONS,
        limits: Limits {
            answer: ANSWER_WITHIN,
            open: ANSWER_WITHIN,
            // A decision's share of the clock binds long before.
            budget: Duration::from_secs(60),
            // Games without a clock are to be over in seconds.
            play_budget: Duration::from_millis(100),
        },
        wire: Wire::Stdio,
        stdio: StdioWire {
            reply_line_max: REPLY_LINE_MAX,
            farewell: Some("quit"),
            memory: Some(400 << 20),
            time_option: Some("time_ms"),
            watched: &["declared", "taken", "points"],
            ..StdioWire::USUAL
        },
        dialect: &Commands,
        places: Places::Numbered,
        repeats: false,
        advised: false,
        scores: Scores {
            word: |score| (score == LOSER).then_some("lost by a fault"),
            ..Scores::POINTS
        },
        value_unit: "points of the deal (the champion's: less half of the others' average, without what the standing adds in the last deals)",
        win_shares,
        duels,
        picture: scene::draw,
        narrow: Some(scene::draw_narrow),
        news: |_, _| None,
        sentence: sentences::sentence,
        turns_on: |_| false,
        routine: |_| false,
        kinds: &[],
        sighting: facts::sighting,
        curves: Some(scene::CURVES),
        teams: None,
        history: None,
        maps: None,
        models: Some(&Counted::<Record>::NEW),
        reception: None,
        training: Some(&bots::SelfPlay),
    };
    const BOUT_NODES: u64 = 300;

    fn set_up(options: Options, deal: &Deal<'_>) -> Result<RefereeSetup, SetupError> {
        Ok(RefereeSetup {
            position: options.position(deal.seed, deal.seats())?,
            conduct: options.conduct,
        })
    }

    fn position(refereed: &RefereeSetup) -> &Setup {
        &refereed.position
    }

    fn referee(refereed: RefereeSetup) -> Result<Box<dyn Table>, SetupError> {
        Ok(Box::new(Referee::new(refereed)))
    }

    fn player(bot: Box<dyn Bot<Self>>, _: &DialogueSetup) -> Box<dyn Dialogue> {
        Box::new(Player::new(bot))
    }

    fn judge(decision: &Decision<'_, Self>, act: &Act) -> Result<(), Illegal> {
        let Decision { view, ask, .. } = decision;
        let legal = view.acts(**ask).contains(act);
        legal.then_some(()).ok_or_else(|| {
            let cards = view.round.cards();
            Illegal(match (ask, act) {
                (Ask::Declare, Act::Declare(tricks)) => {
                    format!("{tricks} is not a number from 0 to {cards}")
                }
                (Ask::Declare, Act::Play(_)) => "a declaration is asked for, not a card".to_owned(),
                (Ask::Play, Act::Declare(_)) => "a card is asked for, not a declaration".to_owned(),
                (Ask::Play, Act::Play(Card(index))) => {
                    format!("card {index} is not in the hand, or does not follow suit")
                }
            })
        })
    }

    fn listed(decision: &Decision<'_, Self>) -> Option<Vec<Act>> {
        Some(decision.view.acts(*decision.ask))
    }

    fn bot(name: &str, seed: u64, _: Advice<'_>) -> Option<Box<dyn Bot<Self>>> {
        bots::make(name, seed)
    }

    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>> {
        bots::bouts(name)
    }

    fn act_text(act: &Option<Act>) -> String {
        format!("{act:?}")
    }

    fn clock(refereed: &RefereeSetup) -> Duration {
        Duration::from_millis(refereed.conduct.time_ms)
    }

    /// Where the pace looks at a clock, a decision gets its share of the time that is left for the game.
    fn decide(
        bot: &mut dyn Bot<Self>,
        view: &View,
        ask: &Ask,
        pace: &dyn Pace,
        left: &mut Duration,
    ) -> Act {
        let nodes = pace.nodes();
        if pace.elapsed().is_none() {
            let stop = &|| pace.stop();
            return bot.decide(view, ask, Budget { nodes, stop });
        }
        let view = View {
            left: Some(*left),
            ..view.clone()
        };
        let target = clock::allot(*left, &view, *ask);
        let stop = &|| pace.stop() || pace.elapsed().is_some_and(|taken| taken >= target);
        let act = bot.decide(&view, ask, Budget { nodes, stop });
        *left = left.saturating_sub(pace.elapsed().unwrap_or_default());
        act
    }

    fn act_of_reply(
        decision: &Decision<'_, Self>,
        frame: &[u8],
        reply: &str,
    ) -> Result<Act, Illegal> {
        let deck = decision.view.game.deck();
        dialect::act(deck, frame, *decision.ask, reply)
    }
}

/// A command is a message, and a line answers it.
struct Commands;

impl Dialect for Commands {
    /// The wire has no numbers: what holds the pipe gives them. A deck begins a game.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let begins = matches!(dialect::read(frame).command, Ok(Command::SetDeck(_)));
        Ok(Route::unnumbered(begins, None))
    }

    fn in_form(&self, message: &[u8], answer: &str) -> Result<(), Illegal> {
        dialect::in_form(message, answer)
    }

    fn in_words(&self, message: &[u8], answer: &str) -> Option<String> {
        sentences::answered(message, answer)
    }

    fn default_answer(&self, frame: &str) -> &'static str {
        default_reply(frame)
    }

    fn reply_line(&self, begun: bool, line: &[u8]) -> Result<ReplyLine, Illegal> {
        let text = dialect::clean(line);
        dialect::reply_line(begun, &text).ok_or_else(|| Illegal(dialect::neither(&text)))
    }
}

/// The one whose fault ended the game has lost, and all others have won.
fn win_shares(outcome: &Outcome) -> Seats<f64> {
    if outcome.cause == Cause::Normal {
        return outcome.win_shares();
    }
    let winners = outcome.scores.values().iter().filter(|score| **score >= 0);
    let share = 1.0 / winners.count().max(1) as f64;
    let share_of = |score: &i64| if *score >= 0 { share } else { 0.0 };
    outcome.scores.values().iter().map(share_of).collect()
}

/// Of a game that ended by somebody's fault, only that player's results count (B3).
fn duels(outcome: &Outcome) -> Vec<Duel> {
    let all = outcome.duels();
    if outcome.cause == Cause::Normal {
        return all;
    }
    let lost = |seat: Seat| outcome.scores.get(seat).is_some_and(|score| *score < 0);
    all.into_iter()
        .filter(|duel| lost(duel.first) || lost(duel.second))
        .collect()
}
