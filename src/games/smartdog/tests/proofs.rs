//! Orders that pen every sheep of a lone tile, or as many as its pen has cells: proofs that it can be done,
//! found by long searches.

use crate::smartdog::atlas;
use crate::smartdog::bots::champion::Proof;
use crate::smartdog::map::Square;
use crate::smartdog::rules::{Players, Setup};

fn check(name: &str, text: &str) {
    let map = atlas::find(name).unwrap().unwrap();
    let pens = map.count(|square| matches!(square, Square::Pen | Square::PennedSheep));
    let sheep = map.count(Square::has_sheep);
    let setup = Setup::of(map, Players::One);
    let proof = Proof::read(text).unwrap();
    assert_eq!(Proof::read(&proof.to_string()), Some(proof.clone()));
    let end = proof.play(&setup);
    assert_eq!(end.penned().values()[0] as usize, sheep.min(pens), "{name}");
}

#[test]
fn every_map_can_be_penned() {
    for (name, text) in [
        ("canyon", include_str!("../proofs/canyon.txt")),
        ("corral", include_str!("../proofs/corral.txt")),
        ("crossroads", include_str!("../proofs/crossroads.txt")),
        ("fold", include_str!("../proofs/fold.txt")),
        ("guards", include_str!("../proofs/guards.txt")),
        ("islands", include_str!("../proofs/islands.txt")),
        ("market", include_str!("../proofs/market.txt")),
        ("meadow", include_str!("../proofs/meadow.txt")),
        ("seed", include_str!("../proofs/seed.txt")),
    ] {
        check(name, text);
    }
}
