//! What is learnt from whole matches.

use super::evidence::Tally;
use super::{Evidence, FOREMOST, Guess, Models, NOTES, Observer, VERSION, Who, merge, show};
use crate::bots::styles::{KINDS, kind_named};
use crate::bots::{listens, make};
use crate::cards::{Compass, Note, PLAYERS, Purse};
use crate::fold::Fold;
use crate::message::Message;
use crate::options::{Options, TradePayment};
use crate::player::Player;
use crate::rules::{Act, Ask, Koehandel, Setup};
use crate::tests::play::{Happened, all_options, play};
use drover_game::contest::Advice;
use drover_game::game::{Bot, Budget, Game, Seat};
use drover_game::wire::{Dialogue as _, Lesson};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What the first seat's observer reports after a match among these.
fn watch(names: [&str; PLAYERS], seed: u64, trade_payment: TradePayment) -> Vec<Lesson> {
    watch_paid(names, seed, trade_payment, |_, _| None)
}

/// The same; `pays` may give what a seat pays for a card instead of what its bot would.
fn watch_paid(
    names: [&str; PLAYERS],
    seed: u64,
    trade_payment: TradePayment,
    pays: impl Fn(usize, Purse) -> Option<Purse>,
) -> Vec<Lesson> {
    let models = Models::none();
    let mut bots: Vec<Box<dyn Bot<Koehandel>>> = names
        .iter()
        .enumerate()
        .map(|(seat, name)| make(name, seed * 4 + seat as u64, &models).unwrap())
        .collect();
    let options = Options {
        trade_payment,
        ..Options::default()
    };
    let mut messages: Vec<(Seat, Message)> = Vec::new();
    let mut game = Koehandel::open(&Setup::deal(seed, options), &mut messages);
    let mut observer = Observer::default();
    loop {
        for (seat, message) in messages.drain(..) {
            if listens(names[seat.index()]) {
                bots[seat.index()].observe(&message);
            }
            if seat == Seat(0) {
                observer.receive(&message, game.seen_by(0), true);
            }
        }
        let Some((seat, ask)) = game.asked() else {
            return observer.lessons();
        };
        let mut act = bots[seat].decide(game.seen_by(seat), &ask, Budget::nodes(1));
        if let Ask::Pay { .. } = ask
            && let Some(paid) = pays(seat, game.purses()[seat])
        {
            act = Act::cards(paid);
        }
        game.play(Some(act), &mut messages);
    }
}

#[test]
fn types_are_distinguished_within_a_match() {
    for payment in [TradePayment::Winner, TradePayment::Exchange] {
        let names = ["tuned", "guide", "face", "setbuilder"];
        let mut right = 0;
        for seed in 0..20 {
            for (lesson, name) in watch(names, seed, payment).iter().zip(&names[1..]) {
                right += u32::from(lesson.kind.as_ref().unwrap().0 == *name);
            }
        }
        assert!(right >= 48, "{right} of 60 under {payment:?}");
    }
}

#[test]
fn a_filler_is_seen_to_be_one_and_evidence_adds_up() {
    let mut model: Option<Value> = None;
    for seed in 0..5 {
        let lessons = watch(
            ["tuned", "guide", "filler", "face"],
            seed,
            TradePayment::Winner,
        );
        let filler = &lessons[1];
        assert_eq!(filler.kind.as_ref().unwrap().0, "filler");
        model = Some(merge(model.as_ref(), &filler.evidence));
    }
    let model = model.unwrap();
    let read = Evidence::read(&model).unwrap();
    assert!((read.matches - 5.0).abs() < 1e-9);
    assert!(
        read.bids.yes == 0.0 && read.bids.no > 50.0,
        "{:?}",
        read.bids
    );
    let shown = show(&model);
    assert_eq!(shown["filler"]["likely"], json!(true));
    // An estimate lies within its interval, also where only one type was ever seen.
    let types = shown["types"].as_object().unwrap().values();
    let numbers =
        types.map(|figure| ["low", "share", "high"].map(|end| figure[end].as_f64().unwrap()));
    let numbers: Vec<[f64; 3]> = numbers.collect();
    assert!(
        !numbers.is_empty() && numbers.iter().all(|ends| ends.is_sorted()),
        "{shown}"
    );
    assert!(
        shown["bid_rate"]["high"].as_f64().unwrap() < 0.06,
        "{shown}"
    );
}

#[test]
fn the_ladder_pays_exactly_and_never_bluffs() {
    let mut model = Value::Null;
    for seed in 0..60 {
        for lesson in watch(
            ["guide", "tuned", "face", "guide"],
            seed,
            TradePayment::Exchange,
        ) {
            model = merge(Some(&model), &lesson.evidence);
        }
    }
    let read = Evidence::read(&model).unwrap();
    assert_eq!(read.exposures.yes, 0.0);
    assert!(
        read.bluffs.yes == 0.0 && read.bluffs.no > 100.0,
        "{:?}",
        read.bluffs
    );
    assert!(
        read.exact_payments.no <= 0.02 * read.exact_payments.yes,
        "{:?}",
        read.exact_payments
    );
    assert!(read.exact_payments.yes > 100.0, "{:?}", read.exact_payments);
    assert!(read.offers.values().map(|offers| offers.count).sum::<f64>() > 10.0);
}

#[test]
fn a_known_rival_is_expected_to_be_what_it_was() {
    let mut model = Value::Null;
    for seed in 0..5 {
        let lessons = watch(
            ["tuned", "guide", "face", "trader"],
            seed,
            TradePayment::Winner,
        );
        model = merge(Some(&model), &lessons[0].evidence);
    }
    let models = Models::from_advice(Advice::Learnt {
        rivals: &[("N".into(), model), ("Q".into(), json!(7))],
        types: &[],
    });
    assert!(models.weights(Compass::W).is_none());
    let weights = models.weights(Compass::N).unwrap();
    let guide = kind_named("guide").unwrap();
    assert!(
        weights
            .iter()
            .enumerate()
            .all(|(at, weight)| at == guide || *weight < weights[guide])
    );
}

/// Two types that explain a rival equally well differ by their prior weights, once.
#[test]
fn a_prior_weight_counts_once() {
    let prior = |name: &str| KINDS[kind_named(name).unwrap()].prior;
    let (tuned, variant) = (prior("tuned"), prior("tuned-cash"));
    assert!(variant < 0.5 * tuned);
    let matches = 1_000.0;
    let share = |prior: f32| matches * f64::from(prior / (tuned + variant));
    let model = Evidence {
        version: VERSION,
        matches,
        types: BTreeMap::from([
            ("tuned".to_owned(), share(tuned)),
            ("tuned-cash".to_owned(), share(variant)),
        ]),
        ..Evidence::default()
    };
    let models = Models::from_advice(Advice::Learnt {
        rivals: &[("N".into(), model.write())],
        types: &[],
    });
    let weights = models.weights(Compass::N).unwrap();
    let expected = |name: &str| weights[kind_named(name).unwrap()] * prior(name);
    let ratio = expected("tuned-cash") / expected("tuned");
    assert!((ratio / (variant / tuned) - 1.0).abs() < 0.02, "{ratio}");
    // Of a stranger nothing is expected beyond that.
    let stranger = models.mixed(std::iter::empty());
    let alike = |weight: &f32| (weight / stranger[0] - 1.0).abs() < 1e-5;
    assert!(stranger.iter().all(alike), "{stranger:?}");
}

#[test]
fn foreign_values_are_no_models() {
    for value in [
        json!(null),
        json!(3),
        json!({"version": 99}),
        json!({"version": 1, "bids": "x"}),
    ] {
        assert!(Evidence::read(&value).is_none(), "{value}");
        let merged = merge(Some(&value), &value);
        assert_eq!(Evidence::read(&merged).unwrap().matches, 0.0);
        assert!(show(&value).is_object());
    }
}

/// Bots that never bid above their cash, one of which pays for cards with more than it must: deals drawn by how the
/// server would have paid are wrong about it, in three auctions all of them, and prove nothing.
#[test]
fn an_honest_bidder_is_never_proved_to_bluff() {
    let mut models: BTreeMap<&str, Evidence> = BTreeMap::new();
    let names = ["tuned", "guide", "face", "evolved"];
    for payment in [TradePayment::Winner, TradePayment::Exchange] {
        for seed in 0..60 {
            let most = |seat: usize, hand: Purse| {
                let largest = Note::ALL.into_iter().rfind(|note| hand.count(*note) > 0);
                let kept = largest.map_or(Purse::EMPTY, Purse::single);
                (seat == 1).then(|| hand.less(kept))
            };
            for (lesson, name) in watch_paid(names, seed, payment, most)
                .iter()
                .zip(&names[1..])
            {
                let evidence = Evidence::read(&lesson.evidence).unwrap();
                assert_eq!(
                    evidence.bluffs.yes, 0.0,
                    "{name}, match {seed}, {payment:?}"
                );
                models.entry(name).or_default().add(&evidence);
            }
        }
    }
    for (name, model) in &models {
        assert!(model.bluffs.no > 500.0, "{name}: {:?}", model.bluffs);
        let shown = show(&model.write());
        assert_eq!(shown["bluff_rate"]["low"], json!(0.0), "{name}");
        assert!(
            shown["bluff_rate"]["high"].as_f64().unwrap() < 0.01,
            "{name}: {shown}"
        );
        assert_eq!(shown["exposure_rate"], shown["bluff_rate"], "{name}");
        // The estimate is above 0, what was counted is not.
        let counted = model.bluffs.counted();
        assert_eq!((counted.low, counted.mean), (0.0, 0.0), "{name}");
    }
    let believed = |name: &str| models[name].believed.rate();
    assert!(
        believed("guide").low > 0.05,
        "what is believed may be wrong"
    );
    assert!(believed("face").mean < 0.01 && believed("evolved").mean < 0.01);
    // Only the one that does so is said to pay otherwise than the server would, whomever it paid.
    let otherwise = |name: &str| models[name].exact_payments.no;
    assert!(otherwise("guide") > 50.0, "{}", otherwise("guide"));
    assert_eq!((otherwise("face"), otherwise("evolved")), (0.0, 0.0));
}

/// Bots that bluff: what is proved is true, what is caught is proved, and what is proved is believed.
#[test]
fn what_is_caught_is_proved_and_what_is_proved_is_believed() {
    let mut model = Evidence::default();
    for seed in 0..40 {
        for options in all_options().into_iter().step_by(7) {
            let mut observer = Observer::default();
            let mut fold = Fold::new();
            play(seed, 5, options, |happened| match happened {
                Happened::Sent(Seat(0), message) => {
                    fold.receive(&message);
                    observer.receive(&message, fold.view(), fold.proves());
                }
                Happened::Said(_, 0, ask, act) => fold.said(&act.unwrap_or(match ask {
                    Ask::Turn => Act::Auction,
                    _ => Act::PASS,
                })),
                _ => {}
            });
            for lesson in observer.lessons() {
                let evidence = Evidence::read(&lesson.evidence).unwrap();
                let offers = |tally: Tally| tally.yes + tally.no;
                assert_eq!(offers(evidence.bluffs), offers(evidence.exposures));
                assert!((offers(evidence.bluffs) - offers(evidence.believed)).abs() < 1e-9);
                assert!(
                    evidence.exposures.yes <= evidence.bluffs.yes,
                    "{evidence:?}"
                );
                assert!(
                    evidence.bluffs.yes <= evidence.believed.yes + 1e-9,
                    "{evidence:?}"
                );
                model.add(&evidence);
            }
        }
    }
    let shown = show(&model.write());
    for (name, _) in NOTES.iter().chain(FOREMOST) {
        assert!(shown[name]["mean"].is_f64(), "{name} is reported: {shown}");
    }
    for end in ["low", "mean", "high"] {
        let rate = |name: &str| shown[name][end].as_f64().unwrap();
        assert!(rate("exposure_rate") < rate("bluff_rate"), "{shown}");
        assert!(rate("bluff_rate") < rate("believed_bluff_rate"), "{shown}");
    }
}

#[test]
fn a_model_of_the_first_version_keeps_what_was_certain() {
    let first = json!({
        "version": 1, "matches": 3.0,
        "bluffs": {"yes": 4.0, "no": 54.0}, "exposures": {"yes": 1.0, "no": 57.0},
        "bids": {"yes": 58.0, "no": 20.0},
    });
    let read = Evidence::read(&first).unwrap();
    let tally = |yes: f64| Tally {
        yes,
        no: 58.0 - yes,
    };
    assert_eq!(
        (read.version, read.matches, read.bids.yes),
        (VERSION, 3.0, 58.0)
    );
    assert_eq!((read.bluffs, read.exposures), (tally(1.0), tally(1.0)));
    assert_eq!(read.believed, tally(4.0));
    let merged = merge(Some(&first), &first);
    assert_eq!(
        Evidence::read(&merged).unwrap().bluffs,
        Tally {
            yes: 2.0,
            no: 114.0
        }
    );
    // An auctioneer was counted as exposed although it had bid in no auction.
    let odd = json!({"version": 1, "exposures": {"yes": 2.0, "no": 0.0}});
    let read = Evidence::read(&odd).unwrap();
    assert_eq!(
        (read.bluffs, read.exposures),
        (Tally { yes: 2.0, no: 0.0 }, read.bluffs)
    );
}

/// Models of four players under names, from ten matches among them, and one of a player who never comes back.
fn learnt(payment: TradePayment) -> Vec<(String, Value)> {
    let mut models: BTreeMap<String, Value> = BTreeMap::new();
    for seed in 100..110 {
        for names in [
            ["tuned", "guide", "face", "evolved"],
            ["guide", "tuned", "trader", "setbuilder"],
        ] {
            for (lesson, name) in watch(names, seed, payment).iter().zip(&names[1..]) {
                let model = models.entry(format!("the {name}")).or_default();
                *model = merge(Some(model), &lesson.evidence);
            }
        }
    }
    models.into_iter().collect()
}

/// In matches of known players whom nobody names: how often the guess at the end is right, wrong, or none, and how
/// sure the right ones are on average. Two who are distinguished by little are the `tuned` and the `guide`.
#[test]
fn a_known_player_is_recognised_by_its_play() {
    let everybody = ["guide", "face", "evolved"];
    for payment in [TradePayment::Winner, TradePayment::Exchange] {
        let known = learnt(payment);
        let (mut right, mut wrong, mut sure) = (0, 0, 0.0);
        for seed in 0..20 {
            let mut who = Who::new(Models::none(), &known, &[]);
            let names = ["tuned", everybody[0], everybody[1], everybody[2]];
            let lessons = watch(names, seed, payment);
            for ((rival, lesson), name) in
                Compass::RIVALS.into_iter().zip(&lessons).zip(&names[1..])
            {
                let seen = Evidence::read(&lesson.evidence).unwrap();
                let Some((Message::Expected { weights, .. }, _)) = who.look(rival, &seen) else {
                    panic!("there is somebody to guess");
                };
                assert!(
                    weights
                        .iter()
                        .all(|weight| weight.is_finite() && *weight > 0.0)
                );
                match who.guess(rival) {
                    Some(guess) if guess.name == format!("the {name}") => {
                        right += 1;
                        sure += guess.share;
                    }
                    Some(_) => wrong += 1,
                    None => {}
                }
            }
        }
        println!(
            "{payment:?}: {right} right, {wrong} wrong of 60, sure {}",
            sure / f64::from(right)
        );
        assert!(
            right >= 40 && wrong <= 6,
            "{right} right, {wrong} wrong under {payment:?}"
        );
    }
}

/// What was seen of a guide whose play shows who it is: not every match does.
fn of_the_guide(known: &[(String, Value)]) -> Evidence {
    let revealing = |seed| {
        let names = ["tuned", "guide", "face", "evolved"];
        let lessons = watch(names, seed, TradePayment::Winner);
        let seen = Evidence::read(&lessons[0].evidence)?;
        let mut who = Who::new(Models::none(), known, &[]);
        who.look(Compass::N, &seen)?;
        let guess = who.guess(Compass::N)?;
        (guess.name == "the guide").then_some(seen)
    };
    (0..20).find_map(revealing).unwrap()
}

/// A guess that does not hold any more is taken back, and so is a name that is said to sit elsewhere.
#[test]
fn a_claim_about_a_rival_is_taken_back() {
    let known = learnt(TradePayment::Winner);
    let mut who = Who::new(Models::none(), &known, &[]);
    who.look(Compass::N, &of_the_guide(&known)).unwrap();
    let bot = make("tuned", 1, &Models::none()).unwrap();
    let mut player = Player::new(bot, Some(Box::new(who)));
    let reported = |player: &mut Player| {
        let facts = player.facts().into_iter();
        let who = facts.filter(|fact| fact.kind == "who");
        who.map(|fact| fact.data).collect::<Vec<_>>()
    };
    // This player has seen nothing that speaks for it.
    player.receive(b"market=1&id=1&type=start").unwrap();
    let nobody = |rival| json!({"rival": rival, "name": null, "share": null, "given": false});
    assert_eq!(reported(&mut player), [nobody("N")]);
    let alice = |rival| json!({"rival": rival, "name": "alice", "share": 1.0, "given": true});
    player.named("W", "alice", None);
    assert_eq!(reported(&mut player), [alice("W")]);
    player.named("N", "alice", None);
    assert_eq!(reported(&mut player), [nobody("W"), alice("N")]);
}

/// Who plays like nobody known is a stranger; who was named is not guessed at, and is guessed nowhere else. Two places
/// that nobody named may look like the same player.
#[test]
fn strangers_stay_strangers_and_names_that_were_given_stand() {
    let known = learnt(TradePayment::Winner);
    let new = || Who::new(Models::none(), &known, &[("E".into(), "dora".into())]);
    let evidence = |lesson: &Lesson| Evidence::read(&lesson.evidence).unwrap();
    let lessons = watch(
        ["tuned", "filler", "guide", "face"],
        3,
        TradePayment::Winner,
    );
    let (filler, mut who) = (evidence(&lessons[0]), new());
    who.look(Compass::W, &filler).unwrap();
    assert_eq!(who.guess(Compass::W), None, "a filler is nobody known");
    assert!(who.look(Compass::E, &filler).is_none());
    assert_eq!(who.guess(Compass::E), Some(&Guess::given("dora")));
    let guide = of_the_guide(&known);
    let (_, new) = who.look(Compass::N, &guide).unwrap();
    assert!(new && !who.guess(Compass::N).unwrap().given);
    let (_, new) = who.look(Compass::N, &guide).unwrap();
    assert!(!new, "it is reported once");
    // Somebody says that the guide sits at W: then it does not sit at N.
    let (_, model) = known.iter().find(|(name, _)| name == "the guide").unwrap();
    let reported = who.named(Compass::W, Guess::given("the guide"), Some(model));
    let [
        Message::Expected {
            rival: Compass::N,
            weights: open,
        },
        Message::Expected { weights, .. },
    ] = &reported[..]
    else {
        panic!("{reported:?}")
    };
    assert_eq!(who.guess(Compass::N), None);
    assert_ne!(open, weights);
    let kind = kind_named("guide").unwrap();
    let most = weights.iter().copied().fold(0.0, f32::max);
    assert_eq!(weights[kind], most);
    who.look(Compass::N, &guide).unwrap();
    let guess = who.guess(Compass::N);
    assert!(guess.is_none_or(|guess| guess.name != "the guide"));
    let mut nobody = Who::new(Models::none(), &[], &[]);
    assert!(nobody.look(Compass::W, &filler).is_none());
}
