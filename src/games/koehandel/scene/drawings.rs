//! The animals as drawings, each one path in a square of 48 units.

use crate::cards::{ANIMALS, Animal};

/// The drawing of an animal.
#[must_use]
pub fn drawing(animal: Animal) -> &'static str {
    DRAWINGS[animal.index()]
}

/// From the cheapest to the dearest, all of them looking to the left.
const DRAWINGS: [&str; ANIMALS] = [
    // Rooster: comb, beak, breast, tail, legs.
    "M14 14l2-8 3 4 3-5 2 6 2 5c0 6 4 8 8 2 2-8 6-12 12-12-3 4-2 12-5 20-3 8-9 11-13 11l0 5h4v3h-10v-3h3v-5c-7-1-12-7-11-15l-7-2 7-3z",
    // Goose: a long neck.
    "M6 12l6-3c1-4 7-4 8 1l1 12c5-3 13-2 17 0l8-3-4 10c-2 6-8 8-13 8v5h5v3h-10v-3h2v-5c-8 0-13-5-11-13l-1-10z",
    // Cat: sitting, ears, a tail.
    "M8 6l6 5h8l6-5v12c0 4-2 6-4 7 6 3 8 9 8 15 5 0 7-5 5-11l4-2c4 9 0 18-10 18h-19c-1-7 0-15 1-20-3-1-5-3-5-7z",
    // Dog: a hanging ear, the tail up.
    "M4 16l7-3c3-4 9-3 10 1l1 6h12c4-1 5-6 9-11l3 2c-2 5-3 9-5 13v21h-5v-12h-14v12h-5v-17c0-4-1-5-2-5h-9z",
    // Sheep: wool.
    "M4 22c-1-4 3-7 7-5 2-5 8-6 11-3 3-4 10-4 12 0 5-1 9 3 8 7 4 4 2 10-2 11v13h-5v-11c-3 2-9 2-12 0v11h-5v-12c-4 0-6-3-6-5l-3 1c-3 0-5-3-5-7z",
    // Goat: horns to the back, a beard.
    "M4 22l6-7c1-7 6-12 13-12-4 3-6 7-6 11l5 7h18l5-4-1 10v18h-5v-11h-15v11h-5v-15l-4-5-5 0 1 10-4-9z",
    // Donkey: long ears.
    "M3 26l7-10-1-13c3 1 5 6 6 10l4-11c2 4 2 10 1 14l4 5h17c4 3 4 9 4 15h-3v9h-5v-11h-12v11h-5v-15l-5-5-7 5z",
    // Pig: round, a snout, a curl.
    "M2 23h5c1-4 3-6 5-7l-1-6 7 4c6-3 16-2 21 4 3 0 4-3 2-5l3-2c4 4 2 10-3 12 2 7-1 12-4 14v7h-5v-5h-12v5h-5v-7c-4-2-6-4-7-6h-6z",
    // Cow: horns, an udder, the tail down.
    "M3 18c-2-5-1-9 2-11 0 4 2 6 5 6h3c3 0 4-2 4-6 3 2 4 6 2 10h21c5 1 6 7 5 17h-2l-1-10v21h-5v-10h-4v4h-6v-4h-3v10h-5v-15c-3 0-4-2-4-4l-3 3h-6l-3-5z",
    // Horse: a high neck with a mane, a long tail.
    "M3 18l9-10 1-5 4 3c5 3 7 8 8 13h14c6 0 8 7 6 20-2-3-3-7-4-11v17h-5v-13h-11v13h-5v-15c-3-4-3-8-3-12l-8 5-4 0z",
];
