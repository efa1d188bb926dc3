-- The schema of Drover's database: SQLite, one writer (src/store/writer), readers beside it.
--
-- Every later change of the schema is a migration of its own: a new file 0002_….sql, named in src/store/open.rs.
-- This file does not change any more, not even in a comment: its checksum is how a database is recognised.
--
-- Times (…_us) are microseconds since 1970-01-01 UTC. Columns described as JSON hold it as text. Unsigned 64-bit
-- numbers (seeds, signatures, numbers on the wire) are stored as the signed number of the same bits.

-- MATCHES AND SEATS

-- One row a match, written when it is first seen. id: a ULID, so it sorts by time. referee: a name, or the address
-- of one that has none. market: the referee's number for the match; 0 on wires without one. ours: 1 if our own
-- referee runs it. setup: JSON, all that our referee started it from; null for others' matches. The columns from
-- ended_us on are NULL until it ends. blame: the seat at fault for the end. scores: JSON, by seat.
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
-- What ended lately may be under an embargo.
CREATE INDEX matches_by_end ON matches (ended_us) WHERE ended_us IS NOT NULL;
-- What lists are filtered by (src/store/listing.rs), each in the order of lists. Most matches end normally.
CREATE INDEX matches_by_game ON matches (game, id);
CREATE INDEX matches_by_referee ON matches (referee, id);
CREATE INDEX matches_by_market ON matches (market, id) WHERE market <> 0;
CREATE INDEX matches_by_cause ON matches (cause, id) WHERE cause <> 'normal';

-- The seats of a match. In others' matches they count from our first session: 0 is ours, then clockwise.
-- spec: how the seat is played (`builtin:NAME`, `url:…`), empty where that is unknown. name: the player's, where the
-- operator or our referee knows it. player: the seat's number on the wire, where our own referee gave it.
-- entrant: the tournament's entrant on the seat. called: the spec without `builtin:` and without a program's version.
CREATE TABLE seats (
    match_id TEXT NOT NULL REFERENCES matches (id),
    seat INTEGER NOT NULL,
    spec TEXT NOT NULL,
    name TEXT,
    player INTEGER,
    entrant TEXT,
    called TEXT AS (replace(substr(spec, 1, instr(spec || '@', '@') - 1), 'builtin:', '')),
    PRIMARY KEY (match_id, seat)
) WITHOUT ROWID;
CREATE INDEX seats_by_name ON seats (name, match_id) WHERE name IS NOT NULL;
CREATE INDEX seats_by_player ON seats (player) WHERE player IS NOT NULL;
CREATE INDEX seats_by_entrant ON seats (entrant, match_id) WHERE entrant IS NOT NULL;
CREATE INDEX seats_by_called ON seats (called, match_id) WHERE spec <> '';

-- The result of each seat, once the match has one. score: NULL where the wire says who won, but not the scores.
-- win_share: 1 for the only best score, 1/k for each of k best ones, else 0.
CREATE TABLE results (
    match_id TEXT NOT NULL REFERENCES matches (id),
    seat INTEGER NOT NULL,
    score INTEGER,
    win_share REAL NOT NULL,
    PRIMARY KEY (match_id, seat)
) WITHOUT ROWID;
CREATE INDEX results_tied ON results (match_id) WHERE win_share > 0 AND win_share < 1;

-- How a seat took part in its match. how: played, crashed, silent, refused or dropped; turn: from which of its
-- decisions on, counted from 1, NULL if it played. decisions: those that it was asked for, and fallback: those of
-- them that its fallback took; both NULL where nothing decides in its place. Most seats of others' matches have no
-- row: how they took part is not known.
CREATE TABLE participations (
    match_id TEXT NOT NULL REFERENCES matches (id),
    seat INTEGER NOT NULL,
    how TEXT NOT NULL,
    turn INTEGER,
    detail TEXT NOT NULL,
    decisions INTEGER,
    fallback INTEGER,
    PRIMARY KEY (match_id, seat)
) WITHOUT ROWID;
CREATE INDEX participations_by_how ON participations (how, match_id) WHERE how <> 'played';

-- SESSIONS AND THEIR TRANSCRIPTS

-- One transcript of one seat. side: player (our bot's side) or referee (our referee's side of the seat). bot: the bot,
-- or for a referee's session the seat's spec. referee, market, player: the keys under which its messages arrive.
-- seat: NULL where it is not known. setup: JSON, what else the fold starts from. durability: what its commits must
-- survive, power or process. first_entry: no entry of the session has a lower number. The columns from last_entry on
-- are NULL until it ends; last_entry stays NULL if it has no entries. scores: JSON, own seat first, then clockwise.
-- packed: NULL: its entries are in `entries` until they are packed; 1: in `packed`; 0: they stay in `entries`, because
-- they are not whole; 2: they were pruned. called: the bot as in `seats`.
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
    first_entry INTEGER NOT NULL,
    last_entry INTEGER,
    entries INTEGER,
    ended_us INTEGER,
    cause TEXT,
    detail TEXT,
    scores TEXT,
    packed INTEGER,
    called TEXT AS (replace(substr(bot, 1, instr(bot || '@', '@') - 1), 'builtin:', ''))
);
CREATE INDEX sessions_by_match ON sessions (match_id);
CREATE INDEX sessions_live ON sessions (id) WHERE ended_us IS NULL;
CREATE INDEX sessions_unpacked ON sessions (id)
    WHERE packed IS NULL AND ended_us IS NOT NULL AND last_entry IS NOT NULL;
CREATE INDEX sessions_by_start ON sessions (opened_us);
-- What lists are filtered by.
CREATE INDEX sessions_by_game ON sessions (game);
CREATE INDEX sessions_by_called ON sessions (called);
CREATE INDEX sessions_by_referee ON sessions (referee);
CREATE INDEX sessions_by_cause ON sessions (cause) WHERE cause <> 'normal';
-- Lists of matches: a referee's sessions are found by their seats.
CREATE INDEX sessions_of_players ON sessions (called, match_id) WHERE side = 'player';
CREATE INDEX sessions_without_seat ON sessions (match_id) WHERE seat IS NULL;

-- The log: one row a message, in the order of commits over all sessions. previous: the session's entry before it.
-- direction: 0 received, 1 sent, seen from the session's own side. It is only appended to and has no other index: an
-- index on the hot log costs a third.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    previous INTEGER,
    at_us INTEGER NOT NULL,
    direction INTEGER NOT NULL,
    text TEXT NOT NULL
);

-- The last entry of every live session, stored now and then, so that the start need not read the whole log: those up
-- to `entry`. packed: (session, entry, count, at_us) as four little-endian 64-bit numbers each.
CREATE TABLE heads (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    entry INTEGER NOT NULL,
    packed BLOB NOT NULL
);

-- What `entries` held of a session that has ended, compressed, in one row. content: zstd of the columns that
-- src/store/packed.rs describes, `bytes` long before compression. dictionary: NULL before the game has one.
CREATE TABLE packed (
    session INTEGER PRIMARY KEY,
    last_entry INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    dictionary INTEGER,
    content BLOB NOT NULL
);
-- An entry's number is not given twice, though its row in `entries` has gone.
CREATE INDEX packed_by_last ON packed (last_entry);

-- Versions of each game's dictionary, trained on its first sessions. All are kept: rows of `packed` name theirs.
CREATE TABLE dictionaries (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    content BLOB NOT NULL
);

-- How long each decision took, in microseconds from when it was asked for: until it left the queue, was thought out,
-- committed and sent. entry: the one that asked. limit_us: what the wire allowed. fallback: 1 if the fallback was sent.
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
CREATE INDEX ledger_by_session ON ledger (session);

-- WHAT TRANSCRIPTS SAY

-- What a session learnt. entry: the one that it was learnt from; NULL if it was noted before the session's first.
-- kind: a word of the game's. data: JSON.
CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    entry INTEGER,
    kind TEXT NOT NULL,
    data TEXT NOT NULL
);
CREATE INDEX facts_by_session ON facts (session);
-- Sessions of one team are found by what all of them have seen alike.
CREATE INDEX facts_by_team ON facts (json_extract(data, '$.digest')) WHERE kind = 'team';

-- The facts that are bluffs, by columns. by: the bluffer in the wire's own word; place: how many seats clockwise from
-- the session's own that is, where the word says so. held: what the bluffer held, if that was revealed.
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

-- What each session taught about each rival, kept so that a rival may be named after the match. rival: in the wire's
-- own word; seat: where that is in the match, if it is known. kind: the learnt type that it fits best, and weight: how
-- well. evidence: JSON, the game's own counts. merged_into: the named opponent whose model has it.
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

-- The current model of each opponent. kind: named (an opponent known by name) or type (a learnt type). model: JSON.
-- version: raised by every lesson.
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

-- Every version of every model, kept for ever: a session's setup names those that advised it.
CREATE TABLE model_versions (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    model TEXT NOT NULL,
    updated_us INTEGER NOT NULL,
    last_match TEXT NOT NULL,
    UNIQUE (game, kind, name, version)
);
CREATE TRIGGER opponent_models_first AFTER INSERT ON opponent_models BEGIN
    INSERT INTO model_versions (game, kind, name, version, model, updated_us, last_match)
    VALUES (new.game, new.kind, new.name, new.version, new.model, new.updated_us, new.last_match);
END;
CREATE TRIGGER opponent_models_next AFTER UPDATE ON opponent_models
WHEN new.version > old.version BEGIN
    INSERT INTO model_versions (game, kind, name, version, model, updated_us, last_match)
    VALUES (new.game, new.kind, new.name, new.version, new.model, new.updated_us, new.last_match);
END;

-- TOURNAMENTS

-- setup: JSON, all that it is played by, its secret included. entrants: a JSON list of objects with name, spec and
-- house, in order. ended_us, ended_why: NULL until it is over.
CREATE TABLE tournaments (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    game TEXT NOT NULL,
    setup TEXT NOT NULL,
    entrants TEXT NOT NULL,
    started_us INTEGER NOT NULL,
    ended_us INTEGER,
    ended_why TEXT
);

-- A round's decision (JSON: tables, byes, and why), made once, before its first match.
CREATE TABLE tournament_rounds (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    round INTEGER NOT NULL,
    decision TEXT NOT NULL,
    decided_us INTEGER NOT NULL,
    PRIMARY KEY (tournament, round)
) WITHOUT ROWID;

-- A match's place, written by the transaction that ends it, so that a place is filled once. number: counts over the
-- whole tournament. seed: that of the match's deck. notes: a JSON list by seat of what the match's own row does not
-- hold.
CREATE TABLE tournament_matches (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL,
    round INTEGER NOT NULL,
    table_no INTEGER NOT NULL,
    match_id TEXT NOT NULL UNIQUE REFERENCES matches (id),
    seed INTEGER NOT NULL,
    notes TEXT NOT NULL,
    PRIMARY KEY (tournament, number),
    FOREIGN KEY (tournament, round) REFERENCES tournament_rounds (tournament, round)
) WITHOUT ROWID;
CREATE INDEX tournament_matches_by_id ON tournament_matches (tournament, match_id);

-- How many rounds of a tournament were decided and how many of its matches have ended: counting them takes long where
-- they lie scattered over a large file.
CREATE TABLE tournament_sizes (
    tournament TEXT NOT NULL PRIMARY KEY,
    rounds INTEGER NOT NULL,
    matches INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER tournament_rounds_counted AFTER INSERT ON tournament_rounds BEGIN
    INSERT INTO tournament_sizes VALUES (new.tournament, 1, 0)
    ON CONFLICT (tournament) DO UPDATE SET rounds = rounds + 1;
END;
CREATE TRIGGER tournament_matches_counted AFTER INSERT ON tournament_matches BEGIN
    INSERT INTO tournament_sizes VALUES (new.tournament, 0, 1)
    ON CONFLICT (tournament) DO UPDATE SET matches = matches + 1;
END;

-- CHANGES

-- What has begun or ended, in the order of commits: a match, or one of its sessions. The oldest are forgotten
-- (src/store/changes.rs).
CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    match_id TEXT NOT NULL,
    session INTEGER
);

-- BOTS

-- The versions of built-in bots that this database has seen, with the signature of how each played then.
CREATE TABLE bots (
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    signature INTEGER NOT NULL,
    PRIMARY KEY (game, name, version)
) WITHOUT ROWID;

-- Which versions of users' programs have played which game.
CREATE TABLE programs_played (
    game TEXT NOT NULL,
    bot TEXT NOT NULL,
    PRIMARY KEY (game, bot)
) WITHOUT ROWID;
CREATE TRIGGER programs_of_sessions AFTER INSERT ON sessions WHEN new.bot GLOB 'bot:*' BEGIN
    INSERT INTO programs_played VALUES (new.game, new.bot) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER programs_of_seats AFTER INSERT ON seats WHEN new.spec GLOB 'bot:*' BEGIN
    INSERT INTO programs_played SELECT game, new.spec FROM matches WHERE id = new.match_id ON CONFLICT DO NOTHING;
END;

-- What users' programs noted for their next matches, by program and game; versions share it.
CREATE TABLE notes (
    bot TEXT NOT NULL,
    game TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (bot, game)
) WITHOUT ROWID;

-- The note that a running match of a user's program began with, by session: sent its match again after a restart, it
-- gets the same one. Gone once the session has ended.
CREATE TABLE notes_given (
    session INTEGER PRIMARY KEY,
    note TEXT NOT NULL
);

-- How a session's program behaved. report: JSON, how often it was started, late, refused, and how it failed.
-- stderr: the end of its standard error.
CREATE TABLE program_runs (
    session INTEGER PRIMARY KEY,
    report TEXT NOT NULL,
    stderr TEXT NOT NULL
);

-- ACCESS

-- What this database keeps to itself, by name: never shown and never logged.
CREATE TABLE secrets (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Who may use the REST interface. Only digests (SHA-256) of tokens are kept. scopes: a JSON list of words. Revoked rows
-- stay, so that a number is not given twice.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    digest BLOB NOT NULL,
    created_us INTEGER NOT NULL,
    used_us INTEGER,
    revoked_us INTEGER
);
CREATE UNIQUE INDEX tokens_live ON tokens (name) WHERE revoked_us IS NULL;
