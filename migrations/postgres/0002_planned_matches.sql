-- The table of SQLite's (migrations/0002_planned_matches.sql), which says what its columns are.
CREATE TABLE planned_matches (
    tournament TEXT COLLATE "C" NOT NULL REFERENCES tournaments (id),
    number BIGINT NOT NULL,
    round BIGINT NOT NULL,
    task TEXT COLLATE "C" NOT NULL,
    needs_cmd BIGINT NOT NULL,
    free_us BIGINT NOT NULL,
    claim BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    worker TEXT COLLATE "C",
    failure TEXT COLLATE "C",
    PRIMARY KEY (tournament, number)
);
CREATE INDEX planned_matches_free ON planned_matches (tournament, round, free_us);

-- SQLite's clock, in seconds: unixepoch('now', 'subsec').
CREATE FUNCTION unixepoch(moment TEXT, unit TEXT) RETURNS FLOAT8 LANGUAGE sql VOLATILE AS
    $$ SELECT CAST(extract(epoch FROM clock_timestamp()) AS FLOAT8) $$;
