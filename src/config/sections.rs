//! The sections that may occur several times in a file, and their fields.

use super::schema::Kind;

/// A list of sections in a file, each with the same fields.
pub(super) struct Entries {
    /// As in `[[callbacks.referee]]`.
    pub(super) path: &'static str,
    pub(super) fields: &'static [Field],
    /// The maximum number of sections.
    pub(super) max: usize,
}

/// The referees that a callback's path may name.
pub(super) const REFEREES: Entries = Entries {
    path: "callbacks.referee",
    fields: REFEREE_FIELDS,
    max: 256,
};

/// The hubs to play on.
pub(super) const HUBS: Entries = Entries {
    path: "hub",
    fields: HUB_FIELDS,
    max: 256,
};

/// One field of such a section: its name, its kind, its default as TOML text (none: required), its
/// description.
pub(super) type Field = (&'static str, Kind, Option<&'static str>, &'static str);

/// The fields of one `[[hub]]` entry.
pub(super) const HUB_FIELDS: &[Field] = &[
    (
        "address",
        Kind::Text,
        None,
        "where the hub listens: HOST:PORT",
    ),
    (
        "game",
        Kind::Text,
        Some("\"smartdog\""),
        "the game that is spoken there",
    ),
    (
        "hub",
        Kind::Text,
        Some("\"default\""),
        "which hub there: default, solo, duet, trio, quartet or its own; `#` before it or not, both are tried",
    ),
    (
        "name",
        Kind::Text,
        Some("\"drover\""),
        "our name there, one word",
    ),
    ("bot", Kind::Text, Some("\"champion\""), "who plays"),
    (
        "seats",
        Kind::Whole {
            min: 1,
            max: 64,
            unit: "connections",
        },
        Some("1"),
        "connections at once, each in a game of its own or all in one, as the hub seats them",
    ),
];

/// The fields of one `[[callbacks.referee]]` entry.
pub(super) const REFEREE_FIELDS: &[Field] = &[
    (
        "name",
        Kind::Name,
        None,
        "the name in the path and in the records; not an IP address, not that of our own referee",
    ),
    (
        "secret",
        Kind::Secret,
        Some("\"\""),
        "what must follow it in the path: /GAME/BOT/NAME:SECRET; letters, digits and -._~",
    ),
    (
        "secret_file",
        Kind::PathOrNone,
        Some("\"\""),
        "a file that holds `secret`",
    ),
    (
        "addresses",
        Kind::Peers,
        Some("[]"),
        "where it must call from, such as [\"192.0.2.7\", \"10.0.0.0/8\"]; one of this and `secret` is needed",
    ),
];
