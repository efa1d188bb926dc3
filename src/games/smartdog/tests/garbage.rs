//! Views that no honest hub would send: every player answers all of them, quickly, without crashing.

use crate::bots::{CARDS, make};
use crate::cartographer::Cartographer;
use crate::generate::{Style, generate};
use crate::known::KnownMaps;
use crate::map::{Header, Map, Square};
use crate::options::Key;
use crate::rules::{
    Ask, Command, Direction, DogAction, DogId, Event, Ground, Orders, Players, Refusal, Seen,
    SeenDog, SeenSheep, Setup, SheepAction, SmartDog, Spot, View,
};
use drover_game::game::{Budget, Seat};
use drover_game::rng::Rng;
use drover_game::wire::Dialogue as _;
use std::sync::Arc;

fn pick<T: Copy>(rng: &mut Rng, items: &[T]) -> T {
    items[rng.below(items.len() as u32) as usize]
}

/// Grounds of every shape, with options at their limits.
fn ground(rng: &mut Rng) -> Arc<Ground> {
    let letters = [".", ".#", ".-", "#", "-", ".#^-o*@", "@", "*.", ".o@"];
    let letters: Vec<Square> = pick(rng, &letters)
        .chars()
        .filter_map(Square::from_letter)
        .collect();
    let side = |rng: &mut Rng| {
        let most = pick(rng, &[1, 3, 12]);
        1 + rng.below(most) as usize
    };
    let (cols, rows) = (side(rng), side(rng));
    let mut header = Header::default();
    for key in Key::ALL {
        let (least, most) = (*key.range().start(), *key.range().end());
        let value = pick(rng, &[least, least.max(1), least + 3, 5, 9, most, most / 2]);
        header
            .set(key, i64::from(value.clamp(least, most)))
            .unwrap();
    }
    let rows: Vec<Vec<Square>> = (0..rows)
        .map(|_| (0..cols).map(|_| pick(rng, &letters)).collect())
        .collect();
    let map = if rng.chance(0.8) {
        Map::new(header, &rows).unwrap()
    } else {
        generate(rng.bits(), &Style::default())
    };
    let setup = Setup::on_map(map, pick(rng, &Players::ALL));
    Arc::clone(SmartDog::begin(&setup).ground())
}

fn view(rng: &mut Rng, ground: &Arc<Ground>, turn: u32) -> View {
    let count = pick(rng, &[0, 1, 4, 40]);
    let torus = ground.torus();
    let odd = |rng: &mut Rng, count: usize| {
        let most = count as u32 + u32::from(rng.chance(0.05));
        rng.below(most)
    };
    let spot = |rng: &mut Rng| {
        Spot::new(
            odd(rng, usize::from(torus.cols())) as u16,
            odd(rng, usize::from(torus.rows())) as u16,
        )
    };
    let seen = (0..count)
        .map(|_| match rng.below(5) {
            0 => Seen::Voice(spot(rng)),
            1 | 2 => Seen::Dog(SeenDog {
                id: DogId(rng.below(6) as u16),
                spot: spot(rng),
                owner: Seat(rng.below(5) as u8),
                action: pick(
                    rng,
                    &[DogAction::Move, DogAction::Panic, DogAction::Indignant],
                ),
                voice: rng.chance(0.5),
            }),
            _ => Seen::Sheep(SeenSheep {
                spot: spot(rng),
                action: pick(
                    rng,
                    &[SheepAction::StandBy, SheepAction::Move, SheepAction::Panic],
                ),
                direction: pick(rng, &Direction::ALL),
            }),
        })
        .collect();
    View {
        seat: Seat(odd(rng, ground.tiles().len()) as u8),
        turn,
        ground: Arc::clone(ground),
        seen,
    }
}

#[test]
fn nobody_dies_of_a_strange_view() {
    for seed in 0..250 {
        let mut rng = Rng::new(seed, 4_000);
        let known = KnownMaps::of_atlas();
        let mut bots: Vec<_> = CARDS
            .iter()
            .map(|card| make(card.name, seed, &known).unwrap())
            .collect();
        let mut cartographer = Cartographer::new();
        let mut ground_now = ground(&mut rng);
        let mut turn = pick(&mut rng, &[0, 1, 1, 7, 100_000, u32::MAX]);
        for _ in 0..4 {
            let view = Arc::new(view(&mut rng, &ground_now, turn));
            let received = rng.chance(0.9);
            cartographer.observe(&Event::Turn(Arc::clone(&view)));
            for bot in &mut bots {
                if received {
                    bot.observe(&Event::Turn(Arc::clone(&view)));
                }
                let nodes = pick(&mut rng, &[0, 1, 60]);
                let orders = bot.decide(&view, &Ask { turn }, Budget::nodes(nodes));
                let why = Refusal::Muted;
                for command in orders.iter().copied() {
                    bot.observe(&Event::Refused { command, why });
                }
                let strange = Command::Bark(DogId(rng.below(9) as u16));
                let sent = if rng.chance(0.5) {
                    orders
                } else {
                    Orders::from_slice(&[strange])
                };
                cartographer.observe(&Event::Ordered(sent.clone()));
                bot.observe(&Event::Ordered(sent));
            }
            let _ = cartographer.evidence();
            turn = turn.wrapping_add(pick(&mut rng, &[0, 1, 1, 2, 900]));
            if rng.chance(0.1) {
                ground_now = ground(&mut rng);
            }
        }
        bots.iter_mut()
            .for_each(|bot| bot.observe(&Event::Over { winner: None }));
    }
}

/// The same events give the same answers, whether or not a player decided in between.
#[test]
fn the_state_follows_from_the_messages() {
    for name in ["shipped", "herder", "herder-search", "champion"] {
        for seed in 0..6u64 {
            let setup = Setup::on_map(generate(seed, &Style::default()), Players::Two);
            let mut game = SmartDog::begin(&setup);
            let known = KnownMaps::none();
            let mut asked = make(name, 1, &known).unwrap();
            let mut silent = make(name, 1, &known).unwrap();
            let mut kit = make("shipped", 1, &known).unwrap();
            for turn in 1..=25 {
                let view = Arc::new(game.seen_by(Seat(1)));
                for bot in [&mut asked, &mut silent] {
                    bot.observe(&Event::Turn(Arc::clone(&view)));
                }
                let orders = asked.decide(&view, &Ask { turn }, Budget::nodes(200));
                for bot in [&mut asked, &mut silent] {
                    bot.observe(&Event::Ordered(orders.clone()));
                }
                let other = game.seen_by(Seat(0));
                kit.observe(&Event::Turn(Arc::new(other.clone())));
                let reply = kit.decide(&other, &Ask { turn }, Budget::nodes(1));
                for (seat, orders) in [(Seat(0), reply), (Seat(1), orders)] {
                    orders.iter().for_each(|command| {
                        let _ = game.play(seat, *command);
                    });
                }
                game.end_all();
            }
            let view = Arc::new(game.seen_by(Seat(1)));
            let ask = Ask { turn: view.turn };
            let mut answers = Vec::new();
            for bot in [&mut asked, &mut silent] {
                bot.observe(&Event::Turn(Arc::clone(&view)));
                answers.push(bot.decide(&view, &ask, Budget::nodes(500)));
            }
            assert_eq!(answers[0], answers[1], "{name}, seed {seed}");
        }
    }
}

/// A budget in slices gives the same result as the whole budget.
#[test]
fn slices_change_nothing() {
    let setup = Setup::on_map(generate(5, &Style::default()), Players::Two);
    let game = SmartDog::begin(&setup);
    let view = Arc::new(game.seen_by(Seat(0)));
    let ask = Ask { turn: 1 };
    let bot = || {
        let mut bot = make("champion", 1, &KnownMaps::none()).unwrap();
        bot.observe(&Event::Turn(Arc::clone(&view)));
        bot
    };
    let whole = bot().decide(&view, &ask, Budget::nodes(2_000));
    let mut sliced = bot();
    let mut last = Orders::new();
    for nodes in (100..=2_000).step_by(100) {
        last = sliced.ponder(&view, &ask, Budget::nodes(nodes)).0;
    }
    assert_eq!(whole, last);
}

/// A hub that describes a tile that fits no layout, and gives every dog another owner each turn.
#[test]
fn owners_that_change_on_a_tile_that_fits_nowhere() {
    let known = crate::known::KnownMaps::of_atlas();
    let bot = crate::bots::make("champion", 1, &known).unwrap();
    let mut player = crate::player::Player::new(bot, "bob", "duet");
    let start = "start \"you\":1,\"rows\":4,\"cols\":400,\"players\":3,\"x1\":0,\"x2\":399,\"y1\":0,\"y2\":3,\
                 \"dogVisibilityR\":1000,\"dogBarkingR\":3,\"turnsLimit\":100,\"maxSheepsCount\":0";
    let row = format!("\"1{}2\"", ".".repeat(398));
    let landscape = [row.as_str(); 4].join(",");
    let opening = format!("{start}\nlandscape {landscape}\n");
    player.receive(opening.as_bytes()).unwrap();
    let began = std::time::Instant::now();
    for turn in [1, 2, 3, 9, 40, 41, 2, 4_000_000_000u32] {
        let mut frame = format!("state  \"turn\":{turn}\n");
        for dog in 0..60u32 {
            let (x, owner) = (dog * 6 % 400, (dog + turn) % 3 + 1);
            let sheep = format!(
                "obj  \"type\":\"Sheep\",\"x\":{},\"y\":3,\"action\":\"panic\",\"direction\":\"up\"\n",
                x + 1
            );
            frame += &format!(
                "obj  \"id\":{dog},\"type\":\"Dog\",\"x\":{x},\"y\":1,\"owner\":{owner},\"action\":\"move\",\"voice\":\"barking\"\n{sheep}"
            );
        }
        let asked = player.receive(format!("{frame}turn\n").as_bytes()).unwrap();
        assert!(matches!(asked, drover_game::wire::Next::Think { .. }));
        let mut best = "end".to_owned();
        player.think(drover_game::game::Budget::nodes(50), &mut best);
        assert!(best.ends_with("end"));
        player.said(&best);
    }
    let took = began.elapsed();
    assert!(took < std::time::Duration::from_secs(20), "{took:?}");
}
