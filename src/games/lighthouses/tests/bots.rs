//! Laws of every built-in player.

use crate::bots::{CARDS, make};
use crate::map::Map;
use crate::rules::{
    Act, Ask, Beacon, Cell, Chart, Event, Lighthouse, Lighthouses, Network, Refusal, Setup, View,
};
use drover_game::arena::play_by;
use drover_game::game::{Bot, Budget, Seat};
use drover_game::ladder::seated;
use drover_game::rng::Rng;
use std::sync::Arc;

const MAPS: [&str; 4] = [
    "\
#########
#!  1  !#
# 2   3 #
#!  4  !#
#########
",
    "\
################
#  ! 1#   !    #
# #   # 2   !###
#   !     #    #
# 3    4   ! ###
###!      #   !#
################
",
    "\
###########
#1234   ###
####!#### #
##   ! #! #
#!  ###   #
###########
",
    "\
####
#1!#
#23#
#4 #
####
",
];

fn setup(map: &str, players: usize, rounds: u32) -> Setup {
    Setup::new(Map::read(map).unwrap(), players, rounds)
}

/// Enough for every stage of a search on the second map.
const DEEP_NODES: u64 = 6_000;

/// A view as a broken engine might send it.
fn garbage(rng: &mut Rng, chart: &Chart) -> View {
    let cell = |rng: &mut Rng| Cell(rng.below(chart.cells() as u32 + 9) as u16);
    let huge = |rng: &mut Rng| (rng.bits() >> rng.below(64)) as u32;
    let beacon = |rng: &mut Rng| Beacon {
        owner: rng
            .chance(0.8)
            .then(|| Seat(rng.below(256) as u8 >> rng.below(8))),
        energy: huge(rng),
        links: rng.bits() & rng.bits(),
    };
    let lighthouses = chart.lighthouses().len() as u32;
    let count = if rng.chance(0.5) {
        lighthouses
    } else {
        rng.below(lighthouses + 3)
    };
    let seen = rng.below(60);
    View {
        round: huge(rng),
        position: match rng.below(4) {
            0 => cell(rng),
            _ => chart.lighthouses()[rng.below(lighthouses) as usize],
        },
        score: rng.bits() as i64,
        energy: huge(rng),
        keys: rng.bits(),
        seen: (0..seen)
            .map(|_| (cell(rng), rng.below(256) as u8))
            .collect(),
        beacons: (0..count).map(|_| beacon(rng)).collect(),
    }
}

fn legal(chart: &Chart, seat: Seat, players: usize, view: &View, act: Act) -> Result<(), Refusal> {
    let at = chart.lighthouse_at(view.position);
    let count = chart.lighthouses().len();
    let beacons = view.beacons.get(..count).unwrap_or(&view.beacons);
    match (act, at) {
        (Act::Pass, _) => Ok(()),
        (Act::Move(step), _) => chart
            .moved(view.position, step)
            .map(|_| ())
            .ok_or(Refusal::NotIsland),
        (Act::Attack(0..), Some(_)) => Ok(()),
        (Act::Connect(to), Some(at)) => {
            Network::from_beacons(chart, players, beacons).linkable(chart, seat, view.keys, at, to)
        }
        _ => Err(Refusal::NotAtTarget),
    }
}

#[test]
fn no_message_makes_a_player_panic_or_err() {
    let mut rng = Rng::new(11, 0);
    for map in MAPS {
        let chart = Arc::new(Map::read(map).unwrap().chart());
        for card in CARDS {
            for game in 0..12 {
                let mut bot = make(card.name, game).unwrap();
                let (seat, players) = (Seat(rng.below(20) as u8), rng.below(18) as usize);
                let view = garbage(&mut rng, &chart);
                assert_eq!(bot.decide(&view, &Ask::Turn, Budget::nodes(9)), Act::Pass);
                bot.observe(&Event::Begins(Arc::clone(&chart), seat, players));
                for turn in 0..12 {
                    let view = garbage(&mut rng, &chart);
                    let deep = card.thinks && map == MAPS[1] && turn % 2 == 1;
                    let nodes = if deep { DEEP_NODES } else { 9 };
                    if rng.chance(0.1) {
                        let act = bot.decide(&view, &Ask::Prepare, Budget::nodes(9));
                        assert_eq!(act, Act::Pass);
                    }
                    let act = bot.decide(&view, &Ask::Turn, Budget::nodes(nodes));
                    assert_eq!(
                        legal(&chart, seat, players, &view, act),
                        Ok(()),
                        "{}: {act:?} at {view:?}",
                        card.name
                    );
                    bot.observe(&Event::Done(act, Err(Refusal::Crosses)));
                }
            }
        }
    }
}

#[test]
fn the_ladder_leads_upwards() {
    let points = |names: [&str; 2]| -> Vec<i64> {
        let mut bots = seated::<Lighthouses>(&names, 16).unwrap();
        let setup = setup(MAPS[1], 2, 300);
        let end = play_by(&setup, &mut bots, |_, bot, view, ask| {
            bot.decide(view, ask, Budget::nodes(100))
        });
        end.game.scores().values().to_vec()
    };
    for rival in ["passer", "drifter", "nearest"] {
        let there = points(["triangle", rival]);
        let back = points([rival, "triangle"]);
        assert!(there[0] > there[1], "{rival}: {there:?}");
        assert!(back[1] > back[0], "{rival}: {back:?}");
    }
}

#[test]
fn who_stands_in_the_sea_passes() {
    let chart = Arc::new(Map::read(MAPS[3]).unwrap().chart());
    let mut bot: Box<dyn Bot<Lighthouses>> = make("triangle", 1).unwrap();
    bot.observe(&Event::Begins(Arc::clone(&chart), Seat(0), 1));
    let view = View {
        energy: 500,
        keys: Lighthouse(0).bit(),
        ..View::unseen(&chart, Cell(0))
    };
    assert_eq!(bot.decide(&view, &Ask::Turn, Budget::nodes(1)), Act::Pass);
}
