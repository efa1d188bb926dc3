-- The schema of Drover's database on PostgreSQL (15 or later): the tables of SQLite's (migrations/0001_schema.sql), which
-- says what their columns are, with PostgreSQL's types and a log of its own form. Numbers that are 0 or 1 stay numbers, so
-- that statements are the same. Texts are compared by their bytes.
--
-- Every later change is a migration of its own: a new file 0002_….sql, named in src/store/server.rs. A version of the
-- program works on the schema of the next one too, unless `compatibility` says otherwise: so replicas can be upgraded one
-- after the other. This file does not change any more.

-- oldest: the number of the oldest version's last migration that may use this database.
CREATE TABLE compatibility (
    oldest BIGINT NOT NULL
);
INSERT INTO compatibility VALUES (1);

-- REPLICAS

-- One row a process that uses the database (src/cluster). term: another one whenever its lease has lapsed. address: where
-- other replicas reach it.
CREATE SEQUENCE cluster_numbers AS BIGINT;
CREATE TABLE replicas (
    id TEXT COLLATE "C" PRIMARY KEY,
    term BIGINT NOT NULL,
    address TEXT COLLATE "C" NOT NULL,
    expires TIMESTAMPTZ NOT NULL
);

-- Which replica owns what, since which epoch, and in which of its terms it claimed it.
CREATE TABLE owners (
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    replica TEXT COLLATE "C" NOT NULL,
    term BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    PRIMARY KEY (kind, name)
);

-- NUMBERS

-- Blocks of 4,096 numbers, for entries, facts, bluffs and changes; one a statement.
CREATE SEQUENCE numbers AS BIGINT MINVALUE 0 START 1;
SELECT nextval('numbers');

-- The block of numbers of each writer's last transaction, which that has written: so a writer whose connection broke while
-- it committed knows the outcome.
CREATE TABLE batches (
    writer TEXT COLLATE "C" PRIMARY KEY,
    block BIGINT NOT NULL
);

-- Each start of a writer: a part of its new sessions' numbers.
CREATE SEQUENCE writers AS BIGINT MINVALUE 0 MAXVALUE 1023 CYCLE;

-- The lock that a transaction holds before it takes numbers, after this block was given.
CREATE FUNCTION lock_of(block BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS
    $$ SELECT block | (x'4452' :: BIGINT << 48) $$;

-- Up to this number, every entry, fact, bluff and change is committed or never will be: one that takes numbers later takes
-- greater ones. First the last block given is read, then the locks.
CREATE FUNCTION horizon() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    given BIGINT;
    held BIGINT;
BEGIN
    SELECT last_value INTO given FROM numbers;
    SELECT min(((classid :: BIGINT & 65535) << 32) | objid :: BIGINT) INTO held FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND classid :: BIGINT >> 16 = x'4452' :: BIGINT
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN least(given, coalesce(held, given)) * 4096 + 4095;
END $$;

-- WHAT STATEMENTS CALL BY SQLITE'S NAMES
--
-- A function that calls another one of these has a parsed body, which needs no search path: pg_restore has none.

-- A text as JSON. PostgreSQL reads none in which a string holds the character 0, which strangers may send.
CREATE FUNCTION as_json(data TEXT) RETURNS JSON LANGUAGE sql IMMUTABLE AS
    $$ SELECT replace(data, '\u0000', '\ufffd') :: JSON $$;
CREATE FUNCTION json_each(list TEXT) RETURNS TABLE (value TEXT) LANGUAGE sql IMMUTABLE ROWS 50
    BEGIN ATOMIC SELECT json_array_elements_text(as_json(list)); END;
CREATE FUNCTION json_each(data TEXT, path TEXT) RETURNS TABLE (value TEXT) LANGUAGE sql IMMUTABLE ROWS 10
    BEGIN ATOMIC SELECT json_array_elements_text(as_json(data) -> substr(path, 3)); END;
CREATE FUNCTION json_extract(data TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
    RETURN as_json(data) ->> substr(path, 3);
CREATE FUNCTION json_text(data TEXT, name TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
    RETURN as_json(data) ->> name;
CREATE FUNCTION json_text(data TEXT, place INT) RETURNS TEXT LANGUAGE sql IMMUTABLE
    RETURN as_json(data) ->> place;
CREATE OPERATOR ->> (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = json_text);
CREATE OPERATOR ->> (LEFTARG = TEXT, RIGHTARG = INT, FUNCTION = json_text);
CREATE FUNCTION iif(condition BOOLEAN, yes ANYELEMENT, no ANYELEMENT) RETURNS ANYELEMENT LANGUAGE sql IMMUTABLE AS
    $$ SELECT CASE WHEN condition THEN yes ELSE no END $$;
CREATE FUNCTION max(one BIGINT, other BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS
    $$ SELECT CASE WHEN one IS NOT NULL AND other IS NOT NULL THEN greatest(one, other) END $$;
CREATE FUNCTION min(one BIGINT, other BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS
    $$ SELECT CASE WHEN one IS NOT NULL AND other IS NOT NULL THEN least(one, other) END $$;
CREATE FUNCTION min(one TEXT, other TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS
    $$ SELECT CASE WHEN one IS NOT NULL AND other IS NOT NULL THEN least(one COLLATE "C", other COLLATE "C") END $$;
CREATE AGGREGATE total (DOUBLE PRECISION) (SFUNC = float8pl, STYPE = DOUBLE PRECISION, INITCOND = '0');

-- MATCHES AND SEATS

-- One row a match, written when it is first seen. id: a ULID, so it sorts by time. referee: a name, or the address
-- of one that has none. market: the referee's number for the match; 0 on wires without one. ours: 1 if our own
-- referee runs it. setup: JSON, all that our referee started it from; null for others' matches. The columns from
-- ended_us on are NULL until it ends. blame: the seat at fault for the end. scores: JSON, by seat.
CREATE TABLE matches (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    game TEXT COLLATE "C" NOT NULL,
    referee TEXT COLLATE "C" NOT NULL,
    market BIGINT NOT NULL,
    ours BIGINT NOT NULL,
    started_us BIGINT NOT NULL,
    setup TEXT COLLATE "C" NOT NULL,
    ended_us BIGINT,
    cause TEXT COLLATE "C",
    blame BIGINT,
    detail TEXT COLLATE "C",
    scores TEXT COLLATE "C"
);
CREATE INDEX matches_live ON matches (id) WHERE ended_us IS NULL;
CREATE INDEX matches_ours ON matches (game, market) WHERE ours = 1;
CREATE INDEX matches_by_start ON matches (started_us);
-- What ended lately may be under an embargo.
CREATE INDEX matches_by_end ON matches (ended_us) WHERE ended_us IS NOT NULL;
-- What lists are filtered by (src/history/listing.rs), each in the order of lists. Most matches end normally.
CREATE INDEX matches_by_game ON matches (game, id);
CREATE INDEX matches_by_referee ON matches (referee, id);
CREATE INDEX matches_by_market ON matches (market, id) WHERE market <> 0;
CREATE INDEX matches_by_cause ON matches (cause, id) WHERE cause <> 'normal';

-- The seats of a match. In others' matches they count from our first session: 0 is ours, then clockwise.
-- spec: how the seat is played (`builtin:NAME`, `url:…`), empty where that is unknown. name: the player's, where the
-- operator or our referee knows it. player: the seat's number on the wire, where our own referee gave it.
-- entrant: the tournament's entrant on the seat. called: the spec without `builtin:` and without a program's version.
CREATE TABLE seats (
    match_id TEXT COLLATE "C" NOT NULL REFERENCES matches (id),
    seat BIGINT NOT NULL,
    spec TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C",
    player BIGINT,
    entrant TEXT COLLATE "C",
    called TEXT COLLATE "C" GENERATED ALWAYS AS (replace(split_part(spec, '@', 1), 'builtin:', '')) STORED,
    PRIMARY KEY (match_id, seat)
);
CREATE INDEX seats_by_name ON seats (name, match_id) WHERE name IS NOT NULL;
CREATE INDEX seats_by_player ON seats (player) WHERE player IS NOT NULL;
CREATE INDEX seats_by_entrant ON seats (entrant, match_id) WHERE entrant IS NOT NULL;
CREATE INDEX seats_by_called ON seats (called, match_id) WHERE spec <> '';

-- The result of each seat, once the match has one. score: NULL where the wire says who won, but not the scores.
-- win_share: 1 for the only best score, 1/k for each of k best ones, else 0.
CREATE TABLE results (
    match_id TEXT COLLATE "C" NOT NULL REFERENCES matches (id),
    seat BIGINT NOT NULL,
    score BIGINT,
    win_share DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (match_id, seat)
);
CREATE INDEX results_tied ON results (match_id) WHERE win_share > 0 AND win_share < 1;

-- How a seat took part in its match. how: played, crashed, silent, refused or dropped; turn: from which of its
-- decisions on, counted from 1, NULL if it played. decisions: those that it was asked for, and fallback: those of
-- them that its fallback took; both NULL where nothing decides in its place. Most seats of others' matches have no
-- row: how they took part is not known.
CREATE TABLE participations (
    match_id TEXT COLLATE "C" NOT NULL REFERENCES matches (id),
    seat BIGINT NOT NULL,
    how TEXT COLLATE "C" NOT NULL,
    turn BIGINT,
    detail TEXT COLLATE "C" NOT NULL,
    decisions BIGINT,
    fallback BIGINT,
    PRIMARY KEY (match_id, seat)
);
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
    id BIGINT PRIMARY KEY,
    match_id TEXT COLLATE "C" NOT NULL REFERENCES matches (id),
    side TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    bot TEXT COLLATE "C" NOT NULL,
    referee TEXT COLLATE "C" NOT NULL,
    market BIGINT NOT NULL,
    player BIGINT NOT NULL,
    seat BIGINT,
    seed BIGINT NOT NULL,
    setup TEXT COLLATE "C" NOT NULL,
    durability TEXT COLLATE "C" NOT NULL,
    opened_us BIGINT NOT NULL,
    first_entry BIGINT NOT NULL,
    last_entry BIGINT,
    entries BIGINT,
    ended_us BIGINT,
    cause TEXT COLLATE "C",
    detail TEXT COLLATE "C",
    scores TEXT COLLATE "C",
    packed BIGINT,
    called TEXT COLLATE "C" GENERATED ALWAYS AS (replace(split_part(bot, '@', 1), 'builtin:', '')) STORED
);
CREATE INDEX sessions_by_match ON sessions (match_id);
CREATE INDEX sessions_live ON sessions (id) WHERE ended_us IS NULL;
CREATE INDEX sessions_live_by_market ON sessions (market) WHERE ended_us IS NULL AND side = 'player';
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

-- The log: one row a message. seq: its place in its session, from 0. The key is the fence between replicas: of two that
-- write the same place of a session one is refused. id: rises over all sessions in the order of commits, as far as readers
-- look (`horizon`). direction: 0 received, 1 sent, seen from the session's own side. text: UTF-8, of strangers.
CREATE TABLE entries (
    id BIGINT NOT NULL,
    session BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    at_us BIGINT NOT NULL,
    direction BIGINT NOT NULL,
    text BYTEA NOT NULL,
    PRIMARY KEY (session, seq)
);

-- The session that each key of a referee's messages had last. A beginning names the one before it, so that of two replicas
-- that begin a session of one key one is refused: `session` then becomes NULL.
CREATE TABLE newest_sessions (
    game TEXT COLLATE "C" NOT NULL,
    referee TEXT COLLATE "C" NOT NULL,
    market BIGINT NOT NULL,
    player BIGINT NOT NULL,
    called TEXT COLLATE "C" NOT NULL,
    session BIGINT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    former BIGINT,
    PRIMARY KEY (game, referee, market, player, called)
);
CREATE INDEX newest_sessions_by_session ON newest_sessions (session);

-- What `entries` held of a session that has ended, compressed, in one row. content: zstd of the columns that
-- src/store/packed.rs describes, `bytes` long before compression. dictionary: NULL before the game has one.
CREATE TABLE packed (
    session BIGINT PRIMARY KEY,
    last_entry BIGINT NOT NULL,
    entries BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    dictionary BIGINT,
    content BYTEA NOT NULL
);

-- Versions of each game's dictionary, trained on its first sessions. All are kept: rows of `packed` name theirs.
CREATE TABLE dictionaries (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    game TEXT COLLATE "C" NOT NULL,
    content BYTEA NOT NULL
);

-- How long each decision took, in microseconds from when it was asked for: until it left the queue, was thought out,
-- committed and sent. entry: the one that asked. limit_us: what the wire allowed. fallback: 1 if the fallback was sent.
CREATE TABLE ledger (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    session BIGINT NOT NULL,
    entry BIGINT NOT NULL,
    at_us BIGINT NOT NULL,
    queued_us BIGINT NOT NULL,
    thought_us BIGINT NOT NULL,
    committed_us BIGINT NOT NULL,
    sent_us BIGINT NOT NULL,
    limit_us BIGINT NOT NULL,
    fallback BIGINT NOT NULL
);
CREATE INDEX ledger_by_session ON ledger (session);

-- WHAT TRANSCRIPTS SAY

-- What a session learnt. entry: the one that it was learnt from; NULL if it was noted before the session's first.
-- kind: a word of the game's. data: JSON.
CREATE TABLE facts (
    id BIGINT PRIMARY KEY,
    session BIGINT NOT NULL,
    entry BIGINT,
    kind TEXT COLLATE "C" NOT NULL,
    data TEXT COLLATE "C" NOT NULL
);
CREATE INDEX facts_by_session ON facts (session);
-- Sessions of one team are found by what all of them have seen alike.
CREATE INDEX facts_by_team ON facts (json_extract(data, '$.digest')) WHERE kind = 'team';

-- The facts that are bluffs, by columns. by: the bluffer in the wire's own word; place: how many seats clockwise from
-- the session's own that is, where the word says so. held: what the bluffer held, if that was revealed.
CREATE TABLE bluffs (
    id BIGINT PRIMARY KEY,
    session BIGINT NOT NULL,
    entry BIGINT,
    at_us BIGINT NOT NULL,
    by TEXT COLLATE "C" NOT NULL,
    place BIGINT,
    bid BIGINT NOT NULL,
    held BIGINT,
    caught BIGINT NOT NULL
);
CREATE INDEX bluffs_by_session ON bluffs (session);

-- What each session taught about each rival, kept so that a rival may be named after the match. rival: in the wire's
-- own word; seat: where that is in the match, if it is known. kind: the learnt type that it fits best, and weight: how
-- well. evidence: JSON, the game's own counts. merged_into: the named opponent whose model has it.
CREATE TABLE lessons (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    session BIGINT NOT NULL,
    match_id TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    rival TEXT COLLATE "C" NOT NULL,
    seat BIGINT,
    kind TEXT COLLATE "C",
    weight DOUBLE PRECISION,
    evidence TEXT COLLATE "C" NOT NULL,
    merged_into TEXT COLLATE "C"
);
CREATE INDEX lessons_by_match ON lessons (match_id, seat);
CREATE INDEX lessons_by_name ON lessons (game, merged_into) WHERE merged_into IS NOT NULL;

-- The current model of each opponent. kind: named (an opponent known by name) or type (a learnt type). model: JSON.
-- version: raised by every lesson.
CREATE TABLE opponent_models (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    game TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    updated_us BIGINT NOT NULL,
    last_match TEXT COLLATE "C" NOT NULL,
    UNIQUE (game, kind, name)
);

-- Every version of every model, kept for ever: a session's setup names those that advised it.
CREATE TABLE model_versions (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    game TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    updated_us BIGINT NOT NULL,
    last_match TEXT COLLATE "C" NOT NULL,
    UNIQUE (game, kind, name, version)
);

-- TOURNAMENTS

-- setup: JSON, all that it is played by, its secret included. entrants: a JSON list of objects with name, spec and
-- house, in order. ended_us, ended_why: NULL until it is over.
CREATE TABLE tournaments (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    setup TEXT COLLATE "C" NOT NULL,
    entrants TEXT COLLATE "C" NOT NULL,
    started_us BIGINT NOT NULL,
    ended_us BIGINT,
    ended_why TEXT COLLATE "C"
);

-- A round's decision (JSON: tables, byes, and why), made once, before its first match.
CREATE TABLE tournament_rounds (
    tournament TEXT COLLATE "C" NOT NULL REFERENCES tournaments (id),
    round BIGINT NOT NULL,
    decision TEXT COLLATE "C" NOT NULL,
    decided_us BIGINT NOT NULL,
    PRIMARY KEY (tournament, round)
);

-- A match's place, written by the transaction that ends it, so that a place is filled once. number: counts over the
-- whole tournament. seed: that of the match's deck. notes: a JSON list by seat of what the match's own row does not
-- hold.
CREATE TABLE tournament_matches (
    tournament TEXT COLLATE "C" NOT NULL REFERENCES tournaments (id),
    number BIGINT NOT NULL,
    round BIGINT NOT NULL,
    table_no BIGINT NOT NULL,
    match_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES matches (id),
    seed BIGINT NOT NULL,
    notes TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tournament, number),
    FOREIGN KEY (tournament, round) REFERENCES tournament_rounds (tournament, round)
);
CREATE INDEX tournament_matches_by_id ON tournament_matches (tournament, match_id);

-- How many rounds of a tournament were decided and how many of its matches have ended: counting them takes long where
-- they lie scattered over a large file.
CREATE TABLE tournament_sizes (
    tournament TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    rounds BIGINT NOT NULL,
    matches BIGINT NOT NULL
);

-- CHANGES

-- What has begun or ended, in the order of commits: a match, or one of its sessions. The oldest are forgotten
-- (src/store/changes.rs).
CREATE TABLE changes (
    id BIGINT PRIMARY KEY,
    match_id TEXT COLLATE "C" NOT NULL,
    session BIGINT
);

-- BOTS

-- The versions of built-in bots that this database has seen, with the signature of how each played then.
CREATE TABLE bots (
    game TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    signature BIGINT NOT NULL,
    PRIMARY KEY (game, name, version)
);

-- Which versions of users' programs have played which game.
CREATE TABLE programs_played (
    game TEXT COLLATE "C" NOT NULL,
    bot TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (game, bot)
);

-- What users' programs noted for their next matches, by program and game; versions share it.
CREATE TABLE notes (
    bot TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    note TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (bot, game)
);

-- The note that a running match of a user's program began with, by session: sent its match again after a restart, it
-- gets the same one. Gone once the session has ended.
CREATE TABLE notes_given (
    session BIGINT PRIMARY KEY,
    note TEXT COLLATE "C" NOT NULL
);

-- How a session's program behaved. report: JSON, how often it was started, late, refused, and how it failed.
-- stderr: the end of its standard error.
CREATE TABLE program_runs (
    session BIGINT PRIMARY KEY,
    report TEXT COLLATE "C" NOT NULL,
    stderr TEXT COLLATE "C" NOT NULL
);

-- ACCESS

-- What this database keeps to itself, by name: never shown and never logged.
CREATE TABLE secrets (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

-- Who may use the REST interface. Only digests (SHA-256) of tokens are kept. scopes: a JSON list of words. Revoked rows
-- stay, so that a number is not given twice.
CREATE TABLE tokens (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    created_us BIGINT NOT NULL,
    used_us BIGINT,
    revoked_us BIGINT
);
CREATE UNIQUE INDEX tokens_live ON tokens (name) WHERE revoked_us IS NULL;

-- TRIGGERS

-- The fence between replicas, where the key of `entries` is none: nothing is added to a session that has ended (its entries
-- may be in `packed`), and none ends twice, or before its last entry.
CREATE FUNCTION refuse_late_entry() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT 1 FROM added JOIN sessions ON sessions.id = added.session WHERE ended_us IS NOT NULL) THEN
        RAISE EXCEPTION 'an entry of a session that has ended' USING ERRCODE = 'DR001';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER entries_late AFTER INSERT ON entries REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_late_entry();

CREATE FUNCTION refuse_other_end() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.ended_us IS NOT NULL
        OR EXISTS (SELECT 1 FROM entries WHERE session = NEW.id AND seq >= coalesce(NEW.entries, 0)) THEN
        RAISE EXCEPTION 'session % has ended, or has entries beyond this end', NEW.id USING ERRCODE = 'DR001';
    END IF;
    -- The key meets an entry that another transaction is about to commit in this place.
    INSERT INTO entries (id, session, seq, at_us, direction, text)
        VALUES (0, NEW.id, coalesce(NEW.entries, 0), 0, 0, '');
    DELETE FROM entries WHERE session = NEW.id AND seq = coalesce(NEW.entries, 0);
    RETURN NEW;
END $$;
CREATE TRIGGER sessions_end BEFORE UPDATE OF ended_us ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_other_end();

CREATE FUNCTION keep_model_version() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO model_versions (game, kind, name, version, model, updated_us, last_match)
    VALUES (new.game, new.kind, new.name, new.version, new.model, new.updated_us, new.last_match);
    RETURN NULL;
END $$;
CREATE TRIGGER opponent_models_first AFTER INSERT ON opponent_models
    FOR EACH ROW EXECUTE FUNCTION keep_model_version();
CREATE TRIGGER opponent_models_next AFTER UPDATE ON opponent_models
    FOR EACH ROW WHEN (new.version > old.version) EXECUTE FUNCTION keep_model_version();

CREATE FUNCTION count_round() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO tournament_sizes AS s VALUES (new.tournament, 1, 0)
    ON CONFLICT (tournament) DO UPDATE SET rounds = s.rounds + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER tournament_rounds_counted AFTER INSERT ON tournament_rounds
    FOR EACH ROW EXECUTE FUNCTION count_round();
CREATE FUNCTION count_match() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO tournament_sizes AS s VALUES (new.tournament, 0, 1)
    ON CONFLICT (tournament) DO UPDATE SET matches = s.matches + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER tournament_matches_counted AFTER INSERT ON tournament_matches
    FOR EACH ROW EXECUTE FUNCTION count_match();

CREATE FUNCTION note_program() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO programs_played VALUES (new.game, new.bot) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER programs_of_sessions AFTER INSERT ON sessions
    FOR EACH ROW WHEN (substr(new.bot, 1, 4) = 'bot:') EXECUTE FUNCTION note_program();
CREATE FUNCTION note_seated_program() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO programs_played SELECT game, new.spec FROM matches WHERE id = new.match_id ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER programs_of_seats AFTER INSERT ON seats
    FOR EACH ROW WHEN (substr(new.spec, 1, 4) = 'bot:') EXECUTE FUNCTION note_seated_program();
