-- Times are microseconds since 1970-01-01 UTC. Structured columns hold JSON text.
-- `entries` is append-only by rowid and has no other index: an index on the hot log costs a third.

CREATE TABLE bots (
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    signature INTEGER NOT NULL,
    first_seen_us INTEGER NOT NULL,
    PRIMARY KEY (game, name, version)
) WITHOUT ROWID;

CREATE TABLE matches (
    id TEXT NOT NULL PRIMARY KEY,
    game TEXT NOT NULL,
    referee TEXT NOT NULL,
    market INTEGER NOT NULL,
    ours INTEGER NOT NULL,
    started_us INTEGER NOT NULL,
    setup TEXT NOT NULL,
    ended_us INTEGER,
    cause TEXT,
    blame INTEGER,
    detail TEXT,
    scores TEXT
);
CREATE INDEX matches_live ON matches (id) WHERE ended_us IS NULL;
CREATE INDEX matches_ours ON matches (game, market) WHERE ours = 1;
CREATE INDEX matches_by_start ON matches (started_us);

CREATE TABLE seats (
    match_id TEXT NOT NULL REFERENCES matches (id),
    seat INTEGER NOT NULL,
    spec TEXT NOT NULL,
    name TEXT,
    PRIMARY KEY (match_id, seat)
) WITHOUT ROWID;
CREATE INDEX seats_by_name ON seats (name, match_id) WHERE name IS NOT NULL;

CREATE TABLE results (
    match_id TEXT NOT NULL REFERENCES matches (id),
    seat INTEGER NOT NULL,
    score INTEGER NOT NULL,
    win_share REAL NOT NULL,
    PRIMARY KEY (match_id, seat)
) WITHOUT ROWID;

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    match_id TEXT NOT NULL REFERENCES matches (id),
    side TEXT NOT NULL,
    game TEXT NOT NULL,
    bot TEXT NOT NULL,
    referee TEXT NOT NULL,
    market INTEGER NOT NULL,
    player INTEGER NOT NULL,
    seat INTEGER,
    seed INTEGER NOT NULL,
    setup TEXT NOT NULL,
    durability TEXT NOT NULL,
    opened_us INTEGER NOT NULL,
    first_entry INTEGER,
    last_entry INTEGER,
    entries INTEGER,
    ended_us INTEGER,
    cause TEXT,
    detail TEXT,
    scores TEXT
);
CREATE INDEX sessions_by_match ON sessions (match_id);
CREATE INDEX sessions_live ON sessions (id) WHERE ended_us IS NULL;

CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    previous INTEGER,
    at_us INTEGER NOT NULL,
    direction INTEGER NOT NULL,
    text TEXT NOT NULL
);

-- Every live session's last entry, stored now and then, so that start-up need not read the log:
-- packed holds (session, entry, count, at_us) as four little-endian 64-bit numbers each.
CREATE TABLE heads (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    entry INTEGER NOT NULL,
    packed BLOB NOT NULL
);

CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    entry INTEGER,
    kind TEXT NOT NULL,
    data TEXT NOT NULL
);
CREATE INDEX facts_by_session ON facts (session);

-- place: how many seats clockwise from the session's own the bluffer sits, where the word says so.
CREATE TABLE bluffs (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    entry INTEGER,
    at_us INTEGER NOT NULL,
    by TEXT NOT NULL,
    place INTEGER,
    bid INTEGER NOT NULL,
    held INTEGER,
    caught INTEGER NOT NULL
);
CREATE INDEX bluffs_by_session ON bluffs (session);

-- What each session taught about each rival, kept so that a rival may be named after the match.
CREATE TABLE lessons (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    match_id TEXT NOT NULL,
    game TEXT NOT NULL,
    rival TEXT NOT NULL,
    seat INTEGER,
    kind TEXT,
    weight REAL,
    evidence TEXT NOT NULL,
    merged_into TEXT
);
CREATE INDEX lessons_by_match ON lessons (match_id, seat);
CREATE INDEX lessons_by_name ON lessons (game, merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE opponent_models (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    model TEXT NOT NULL,
    version INTEGER NOT NULL,
    updated_us INTEGER NOT NULL,
    last_match TEXT NOT NULL,
    UNIQUE (game, kind, name)
);

CREATE TABLE ratings (
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    player TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    matches INTEGER NOT NULL,
    updated_us INTEGER NOT NULL,
    PRIMARY KEY (game, pool, player)
) WITHOUT ROWID;

CREATE TABLE tournaments (
    id TEXT NOT NULL PRIMARY KEY,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    settings TEXT NOT NULL,
    started_us INTEGER NOT NULL,
    ended_us INTEGER
);

CREATE TABLE schedule (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL,
    round INTEGER NOT NULL,
    seats TEXT NOT NULL,
    seed INTEGER NOT NULL,
    match_id TEXT REFERENCES matches (id),
    PRIMARY KEY (tournament, number)
) WITHOUT ROWID;

CREATE TABLE ledger (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    queued_us INTEGER NOT NULL,
    thought_us INTEGER NOT NULL,
    committed_us INTEGER NOT NULL,
    sent_us INTEGER NOT NULL,
    limit_us INTEGER NOT NULL,
    fallback INTEGER NOT NULL
);
