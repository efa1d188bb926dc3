//! The live ladder.

use crate::golden::results;
use ratings::{Ladder, Settings, fit};

#[test]
fn the_ladder_comes_to_the_order_of_the_fit() {
    let results = results("s8_planowanie_tables_8_bots");
    let mut ladder = Ladder::default();
    assert!(ladder.standing().is_empty());
    for table in results
        .all()
        .chunk_by(|one, other| one.table == other.table)
    {
        ladder.add(table);
    }
    let standing = ladder.standing();
    let fit = fit(&results, &Settings::default()).unwrap();
    assert_eq!(standing.len(), 8);
    assert!(
        standing
            .iter()
            .all(|(_, _, uncertainty)| *uncertainty < 25.0 / 3.0)
    );
    let elo = |place: usize| fit.elo()[standing[place].0];
    // Neighbours may change places; the halves do not.
    assert!((0..4).all(|upper| (4..8).all(|lower| elo(upper) > elo(lower))));
    assert!(elo(0) > elo(3) && elo(4) > elo(7));
}
