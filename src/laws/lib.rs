//! The laws of every game, run on one by [`laws!`] in one line: its bots are those listed and play as their
//! signatures say, decisions end when they must, options are what their cards say, maps are maps, and a
//! match comes again from its setup, to players who know nothing but what the wire sends them.
//!
//! [`play_randomly`] is the law of the rules: random play ends, offered acts are legal, refused acts do no
//! harm. Games that know more about their positions call it with an audit of their own.

pub mod disturb;
mod native;
mod remote;
mod scenes;
mod schema;

pub use self::native::own_words_are_read_back;
pub use self::remote::{a_remote_bot_plays_alike, wrong_answers_are_refused};
pub use self::scenes::{scenes_are_whole, scenes_of, sound};
pub use self::schema::Schema;
use drover_game::card::{BotCard, Wire};
use drover_game::contest::{Advice, Contest, Deal, Erased, TICK};
use drover_game::explain::{BELIEFS_MAX, CANDIDATES_MAX, Explanation};
use drover_game::game::{Game, Outcome, Seat, Seats};
use drover_game::kit::{
    DialogueSetup, Kit as _, Nodes, Pace, PlaySetup, Played, TableSetup, bot_seed,
};
use drover_game::maps::MapStyle;
use drover_game::reasons::PROBABILITY;
use drover_game::rng::Rng;
use drover_game::wire::{Dialogue, Next, Reply, Table};
use drover_game::{Budget, ladder, options};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Debug;

/// Of all tests that know these laws, as in the executable: musl's own takes a good part of their time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The laws as tests of a game, its matches played with the options given as JSON: those that make them
/// short. `careless` names bots whose acts the rules may refuse, as those of the originals that they imitate;
/// `also` names laws of what not every game has.
#[macro_export]
macro_rules! laws {
    ($game:ty, {$($options:tt)*} $(, careless: [$($careless:literal),+])? $(, also: [$($also:ident),+])?) => {
        $crate::laws!(@ $game, $crate::Terms {
            options: serde_json::json!({$($options)*}),
            careless: &[$($($careless),+)?],
        };
            bots_are_those_listed signatures_stand_for_the_play decisions_end_when_they_must
            random_play_ends_alike options_are_as_their_cards_say maps_are_maps
            a_match_comes_again_from_its_setup explaining_changes_nothing a_remote_bot_plays_alike
            wrong_answers_are_refused $($($also)+)?);
    };
    (@ $game:ty, $terms:expr; $($law:ident)+) => {
        $(#[test]
        fn $law() {
            $crate::$law::<$game>(&$terms);
        })+
    };
}

/// What a game's laws are run with.
pub struct Terms<'a> {
    /// The options of its matches, as JSON.
    pub options: Value,
    /// Bots whose acts the rules may refuse.
    pub careless: &'a [&'a str],
}

/// More steps than any match of any game here can take.
const STEPS_MAX: usize = 200_000;
/// Matches of each kind.
const MATCHES: u64 = 2;
/// Nodes a decision.
const NODES: u64 = 20;
/// Some decisions are explained, with this number of nodes: enough for every bot to compare something.
const EXPLAIN_NODES: u64 = 3_000;
const EXPLAIN_EVERY: u32 = 11;
/// Most seats that are tried, in games that have no end of them.
const SEATS_MAX: usize = 4;
/// So often a bot may ask whether it must stop before it must.
const POLLS: u64 = 40;
/// So often it may ask after that: more is a hang.
const POLLS_AFTER_STOP_MAX: u64 = 2_000;

/// Names are unique and make bots, no others do, and rungs lead upwards.
pub fn bots_are_those_listed<C: Contest>(_: &Terms<'_>) {
    let names: BTreeSet<&str> = C::CARD.bots.iter().map(|card| card.name).collect();
    assert_eq!(names.len(), C::CARD.bots.len(), "a name twice");
    assert!(
        names.contains("champion"),
        "programs fall back on it, and shims play it, unless they name another bot"
    );
    for name in &names {
        assert!(C::bot(name, 1, Advice::None).is_some(), "{name}");
        assert!(C::bot(name, 1, Advice::Shipped).is_some(), "{name}");
        let more = format!("{name}-team-team");
        assert!(C::bot(&more, 1, Advice::Shipped).is_none(), "{more}");
    }
    for name in ["nobody", "", "-team", "championchampion", "Champion"] {
        assert!(C::bot(name, 1, Advice::Shipped).is_none(), "{name:?}");
        assert_eq!(ladder::signature::<C>(name), None, "{name:?}");
        let why = ladder::make::<C>(name, 1, Advice::None)
            .err()
            .expect("no such bot")
            .to_string();
        assert!(names.iter().all(|known| why.contains(known)), "{why}");
    }
    assert!(
        C::CARD.bots.is_sorted_by_key(|card| card.rung),
        "weakest first"
    );
}

/// No bot plays otherwise than it did when its signature was noted.
pub fn signatures_stand_for_the_play<C: Contest>(_: &Terms<'_>) {
    let changed = C::CARD.bots.iter().filter_map(|card| {
        let played = ladder::signature::<C>(card.name);
        let text = |played| format!("{}: {played:#018X}", card.name);
        (played != Some(card.signature)).then(|| played.map_or_else(String::new, text))
    });
    let changed: Vec<String> = changed.collect();
    let what = "play differently: raise their versions and note the new signatures";
    assert!(changed.is_empty(), "{what}: {changed:?}");
}

/// A pace that stops each decision after n polls.
struct Polled {
    stop_at: u64,
    polls: Cell<u64>,
}

impl Pace for Polled {
    fn nodes(&self) -> u64 {
        u64::MAX
    }
    fn begin(&self, _: Seat) {
        self.polls.set(0);
    }
    fn stop(&self) -> bool {
        self.polls.set(self.polls.get() + 1);
        let after = self.polls.get().saturating_sub(self.stop_at);
        assert!(after <= POLLS_AFTER_STOP_MAX, "a decision does not end");
        after > 0
    }
    fn end(&self) {}
}

/// Whether a budget is of nodes or of time, and spent before it began: every decision ends, and is legal.
pub fn decisions_end_when_they_must<C: Contest>(terms: &Terms<'_>) {
    let options = &terms.options;
    for BotCard { name, .. } in C::CARD.bots {
        for stop_at in [0, POLLS] {
            let polls = Cell::new(0);
            let played = play::<C>(&[name], 1, options, &Polled { stop_at, polls });
            in_good_order(&played, &[name], terms);
        }
        let names = [name, C::CARD.bots[0].name];
        let nodes = |seed| play::<C>(&names, seed, options, &Nodes(NODES));
        let (once, again) = (nodes(1), nodes(1));
        in_good_order(&once, &names, terms);
        assert_eq!(
            once.transcript, again.transcript,
            "{name}: as many nodes play alike"
        );
    }
}

fn in_good_order(played: &Played, names: &[&str], terms: &Terms<'_>) {
    assert!(played.asks > 0, "{names:?} were never asked");
    for (name, refused) in names.iter().cycle().zip(played.refused.values()) {
        assert!(*refused == 0 || terms.careless.contains(name), "{name}");
    }
}

/// A match in process with these bots in turn on the seats.
fn play<C: Contest>(names: &[&str], seed: u64, options: &Value, pace: &dyn Pace) -> Played {
    let seats = seat_counts::<C>().next_back().expect("seats");
    let bots = names.iter().cycle().take(seats);
    let bots = bots.map(|&name| name.to_owned()).collect();
    let setup = PlaySetup::recorded(bots, seed, options.clone());
    Erased::<C>::NEW.play(&setup, pace).expect("a match")
}

fn seat_counts<C: Contest>() -> std::ops::RangeInclusive<usize> {
    let (least, most) = (*C::CARD.seats.start(), *C::CARD.seats.end());
    least..=most.min(SEATS_MAX.max(least))
}

/// The law of the rules, for every number of seats.
pub fn random_play_ends_alike<C: Contest>(terms: &Terms<'_>)
where
    C::Event: Debug,
{
    for seats in seat_counts::<C>() {
        for seed in 0..MATCHES {
            let ids: Vec<u64> = (1..).take(seats).collect();
            let deal = Deal {
                seed,
                market: 1,
                ids: &ids,
            };
            let options = options::read(C::CARD.options, &terms.options).expect("options");
            let refereed = C::set_up(options, &deal).expect("a setup");
            let silence = if seed == 0 { 0.02 } else { 0.0 };
            let play = || play_randomly::<C>(C::position(&refereed), seed, silence, |_| {});
            let (outcome, received) = play();
            assert_eq!(outcome.scores.len(), seats);
            assert_eq!(
                format!("{:?}", play()),
                format!("{:?}", (outcome, received))
            );
        }
    }
}

/// Each card's default is what holds without it, values of another kind are refused by name, and so are options
/// without a card.
pub fn options_are_as_their_cards_say<C: Contest>(_: &Terms<'_>) {
    let names: BTreeSet<&str> = C::CARD.options.iter().map(|card| card.name).collect();
    assert_eq!(names.len(), C::CARD.options.len(), "a name twice");
    let setup = |options: &Value| {
        let seats = *C::CARD.seats.start().max(&2).min(C::CARD.seats.end());
        let setup = TableSetup::numbered(1, options.clone(), seats);
        Erased::<C>::NEW.table(&setup).map(|table| table.setup())
    };
    let usual = setup(&Value::Null).expect("defaults");
    for card in C::CARD.options {
        let default: Value = serde_json::from_str(card.default).expect("JSON");
        let given = json!({ card.name: default });
        assert_eq!(setup(&given).as_ref(), Ok(&usual), "{}", card.name);
        let wrong = setup(&json!({ card.name: {"not": ["of", "its", "kind"]} }));
        let why = wrong.expect_err("it is refused").to_string();
        let named = format!("{} options: ", C::CARD.name);
        assert!(why.starts_with(&named), "{}: {why}", card.name);
    }
    for wrong in [json!({"nonsense": 1}), json!(5)] {
        let why = setup(&wrong).expect_err("it is refused").to_string();
        assert!(
            why.starts_with(&format!("{} options: ", C::CARD.name)),
            "{why}"
        );
    }
}

/// Maps that come with the game and drawn ones are maps, a drawing is the same for ever, and no size is
/// listed twice.
pub fn maps_are_maps<C: Contest>(_: &Terms<'_>) {
    let Some(maps) = C::CARD.maps else {
        return;
    };
    for (name, text) in maps.shipped() {
        assert_eq!(maps.check(text), Ok(()), "{name}");
    }
    assert!(maps.shipped().is_sorted_by_key(|(name, _)| name));
    let sizes: BTreeSet<&str> = maps.sizes().iter().map(|size| size.name).collect();
    assert_eq!(sizes.len(), maps.sizes().len(), "a size twice");
    for seed in 0..MATCHES {
        for symmetric in [false, true] {
            let sizes = Vec::new();
            let style = MapStyle { symmetric, sizes };
            let drawn = maps.draw(seed, &style).expect("a map");
            assert_eq!(maps.check(&drawn), Ok(()), "seed {seed}: {drawn}");
            assert_eq!(maps.draw(seed, &style), Ok(drawn), "seed {seed}");
        }
    }
    assert!(maps.check("no map").is_err());
}

/// A recorded match is sent again by a table from its setup, word for word, with the same end; and bots that
/// do not search and know nothing but these words say what they said in process, where they saw the rules' own
/// view: it shows them nothing that the wire hides. (Searchers may draw other lots in another number of
/// thoughts.)
pub fn a_match_comes_again_from_its_setup<C: Contest>(terms: &Terms<'_>) {
    let options = &terms.options;
    let (door, names): (_, Vec<&str>) = (
        Erased::<C>::NEW,
        C::CARD.bots.iter().map(|bot| bot.name).collect(),
    );
    for (seed, bots) in (1..).zip(names.chunks(2)) {
        let played = play::<C>(bots, seed, options, &Nodes(NODES));
        let seats = played.refused.len();
        let setup = TableSetup::numbered(seed, options.clone(), seats);
        let setup = door.table(&setup).expect("a table").setup();
        let mut table = door.reopen(&setup).expect("a table");
        assert_eq!(table.setup(), setup);
        let mut players = Seats::from_fn(seats, |seat| {
            let card = C::CARD
                .bots
                .iter()
                .find(|card| card.name == bots[seat.index() % bots.len()]);
            let card = card.expect("its card");
            let setup = DialogueSetup::new(card.name, bot_seed(seed, seat));
            (door.dialogue(&setup).expect("a player"), card)
        });
        let mut calls: Seats<VecDeque<String>> = Seats::from_fn(seats, |_| VecDeque::new());
        for (at, exchange) in played.transcript.iter().enumerate() {
            let seat = exchange.seat;
            pump(table.as_mut(), &mut calls);
            let call = calls[seat].pop_front();
            assert_eq!(
                call.as_ref(),
                Some(&exchange.call),
                "line {at} of seed {seed}"
            );
            let (player, card) = &mut players[seat];
            let said = say(player.as_mut(), &exchange.call, exchange.reply.as_deref());
            let Some(reply) = &exchange.reply else {
                continue;
            };
            if !card.thinks {
                assert_eq!(&said, reply, "{} to {:?}", card.name, exchange.call);
            }
            assert_eq!(door.card().in_form(exchange.call.as_bytes(), reply), Ok(()));
            table.spent(seat, TICK);
            table.answer(seat, Reply::Text(reply.as_bytes()));
            if C::CARD.wire == Wire::Stdio {
                // Whatever a program says next would count as more of this answer.
                assert!(!table.waits(seat), "it waits before its call is taken");
            }
        }
        pump(table.as_mut(), &mut calls);
        assert!(
            calls.values().iter().all(VecDeque::is_empty),
            "words unsaid"
        );
        assert_eq!(table.outcome(), Some(played.outcome), "seed {seed}");
    }
}

/// Every bot explains every decision of a recorded match as it then makes it, legal in form, with one candidate
/// chosen of those that it names, or its rule: one that does not think always has either. A player that was asked for that
/// knows, thinks and says the same as one that was not.
pub fn explaining_changes_nothing<C: Contest>(terms: &Terms<'_>) {
    let door = Erased::<C>::NEW;
    assert!(!door.card().value_unit.is_empty());
    for card in C::CARD.bots {
        let played = play::<C>(&[card.name], 1, &terms.options, &Nodes(NODES));
        let player = |seat| {
            let setup = DialogueSetup::new(card.name, bot_seed(1, seat));
            door.dialogue(&setup).expect("a player")
        };
        let mut players = Seats::from_fn(played.refused.len(), |seat| [player(seat), player(seat)]);
        let (mut decisions, mut compared) = (0, false);
        for exchange in &played.transcript {
            let [asked, other] = &mut players[exchange.seat];
            let call = exchange.call.as_bytes();
            let next = asked.receive(call);
            assert_eq!(next, other.receive(call), "{}", card.name);
            let due = match next.expect("a message") {
                Next::Think { fallback, .. } => {
                    let reported = asked.explain(Budget::nodes(NODES)).expect("an explanation");
                    let again = asked.explain(Budget::nodes(NODES));
                    assert_eq!(Some(&reported), again.as_ref());
                    let thought = [asked.as_mut(), other.as_mut()].map(|player| {
                        let mut best = fallback.clone();
                        let _ = player.think(Budget::nodes(NODES), &mut best);
                        best
                    });
                    assert_eq!(thought[0], thought[1], "{}", card.name);
                    assert_eq!(reported.answer, thought[0], "{}: {reported:?}", card.name);
                    assert_eq!(door.card().in_form(call, &reported.answer), Ok(()));
                    is_in_order(&reported);
                    let reasoned = reported.by_rule || !reported.candidates.is_empty();
                    assert!(reasoned || card.thinks, "{}: {reported:?}", card.name);
                    decisions += 1;
                    if decisions % EXPLAIN_EVERY == 1 {
                        let reported = asked
                            .explain(Budget::nodes(EXPLAIN_NODES))
                            .expect("one more");
                        is_in_order(&reported);
                        compared |= reported.candidates.len() > 1;
                    }
                    true
                }
                Next::Send(_) => true,
                Next::Wait | Next::Over(_) => {
                    let explained = asked.explain(Budget::nodes(NODES));
                    assert_eq!(explained, None, "nothing is asked");
                    false
                }
            };
            for player in [asked, other].into_iter().filter(|_| due) {
                player.said(exchange.reply.as_deref().unwrap_or_default());
            }
            let [asked, other] = &mut players[exchange.seat];
            assert_eq!(asked.view(), other.view(), "{}", card.name);
            assert_eq!(asked.facts(), other.facts(), "{}", card.name);
            assert_eq!(asked.lessons(), other.lessons(), "{}", card.name);
        }
        assert!(compared || !card.thinks, "{} compares", card.name);
    }
}

fn is_in_order(reported: &Explanation) {
    let chosen = reported
        .candidates
        .iter()
        .filter(|candidate| candidate.chosen);
    let chosen: Vec<&str> = chosen.map(|candidate| candidate.act.as_str()).collect();
    let one = if reported.candidates.is_empty() {
        vec![]
    } else {
        vec![reported.answer.as_str()]
    };
    assert_eq!(chosen, one, "{reported:?}");
    assert!(reported.candidates.len() <= CANDIDATES_MAX && reported.beliefs.len() <= BELIEFS_MAX);
    assert!(reported.summary.ends_with('.'), "{reported:?}");
    let values = reported
        .candidates
        .iter()
        .flat_map(|one| [one.value, one.error]);
    let believed = reported.beliefs.iter();
    let believed = believed.flat_map(|one| [Some(one.value), one.low, one.high]);
    let mut all = values.chain(believed).flatten();
    assert!(all.all(f64::is_finite), "{reported:?}");
    for belief in &reported.beliefs {
        assert!(!belief.about.is_empty() && !belief.what.is_empty() && !belief.unit.is_empty());
        let within = belief.low.is_none_or(|low| low <= belief.value)
            && belief.high.is_none_or(|high| belief.value <= high);
        let likely = belief.unit != PROBABILITY || (0.0..=1.0).contains(&belief.value);
        assert!(within && likely, "{belief:?}");
    }
}

fn pump(table: &mut dyn Table, calls: &mut Seats<VecDeque<String>>) {
    let mut sent = Vec::new();
    table.calls(&mut sent);
    for call in sent {
        calls[call.seat].push_back(call.text);
    }
}

/// What a player says to this; it is notified that it has said what was recorded.
fn say(player: &mut dyn Dialogue, call: &str, recorded: Option<&str>) -> String {
    let next = player.receive(call.as_bytes()).expect("a message");
    let said = match next {
        Next::Wait => return String::new(),
        Next::Over(ending) => return ending.last_word,
        Next::Send(said) => said,
        Next::Think { fallback, .. } => {
            let mut best = fallback;
            let _ = player.think(Budget::nodes(NODES), &mut best);
            best
        }
    };
    player.said(recorded.unwrap_or(&said));
    said
}

/// Plays one match with acts drawn from [`Game::acts`], now and then with none, and checks on the
/// way that every offered act is legal and that only those to move are offered any. `audit` sees
/// every position. Returns the outcome and everything received.
pub fn play_randomly<G: Game<Act: Clone>>(
    setup: &G::Setup,
    seed: u64,
    silence: f64,
    mut audit: impl FnMut(&G),
) -> (Outcome, Vec<(Seat, G::Event)>) {
    let mut rng = Rng::new(seed, 1);
    let mut game = G::start(setup);
    let mut events = Vec::new();
    let mut acts = Vec::new();
    for _ in 0..STEPS_MAX {
        audit(&game);
        if let Some(outcome) = game.outcome() {
            assert!(
                game.to_move().iter().all(|(_, to_move)| !to_move),
                "a match over asks nobody"
            );
            return (outcome, events);
        }
        let mut step = Vec::new();
        for (seat, to_move) in game.to_move().iter() {
            acts.clear();
            game.acts(seat, &mut acts);
            assert_eq!(
                *to_move,
                !acts.is_empty(),
                "acts are offered to whom they are asked of"
            );
            for act in &acts {
                if let Err(illegal) = game.check(seat, act) {
                    panic!("an offered act is illegal: {illegal}");
                }
            }
            if *to_move {
                let act = acts.get(rng.below(acts.len() as u32) as usize).cloned();
                step.push((seat, act.filter(|_| !rng.chance(silence))));
            }
        }
        game.step(&step, &mut events);
    }
    panic!("random play of seed {seed} does not end");
}
