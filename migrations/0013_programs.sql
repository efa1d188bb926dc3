-- What users' programs noted for their next matches, by program and game; versions share it.
CREATE TABLE notes (
    bot TEXT NOT NULL,
    game TEXT NOT NULL,
    note TEXT NOT NULL,
    at_us INTEGER NOT NULL,
    PRIMARY KEY (bot, game)
) WITHOUT ROWID;
-- What became of a session's program: how often it was started, late, refused, how it failed, and the end of its standard
-- error.
CREATE TABLE program_runs (
    session INTEGER PRIMARY KEY,
    report TEXT NOT NULL,
    stderr TEXT NOT NULL
);
