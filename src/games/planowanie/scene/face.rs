//! Cards as people read them.

/// A card's text, its suit as a sign where it is one of the usual four.
#[must_use]
pub fn face(card: &str) -> String {
    let (rank, suit) = parts(card);
    suit.map_or_else(|| rank.clone(), |suit| format!("{rank}{suit}"))
}

/// A card's value, 10 for `T`, and its suit.
#[must_use]
pub fn parts(card: &str) -> (String, Option<char>) {
    let mut letters = card.chars();
    let last = letters.next_back().map(suit);
    match letters.as_str() {
        "T" => ("10".to_owned(), last),
        value => (value.to_owned(), last),
    }
}

/// A suit's sign.
#[must_use]
pub const fn suit(letter: char) -> char {
    match letter {
        'C' => '♣',
        'D' => '♦',
        'H' => '♥',
        'S' => '♠',
        other => other,
    }
}

/// Whether a sign is printed in red.
#[must_use]
pub const fn is_red(suit: char) -> bool {
    matches!(suit, '♥' | '♦')
}
