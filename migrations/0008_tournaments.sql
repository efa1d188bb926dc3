-- Nothing was ever stored in these.
DROP TABLE ratings;
DROP TABLE schedule;
DROP TABLE tournaments;

-- setup: all that it was started with. entrants: a JSON list of objects with name, spec and house, in order.
CREATE TABLE tournaments (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    game TEXT NOT NULL,
    seed INTEGER NOT NULL,
    setup TEXT NOT NULL,
    entrants TEXT NOT NULL,
    started_us INTEGER NOT NULL,
    ended_us INTEGER,
    ended_why TEXT
);

-- A round's decision (tables, seeds, byes, and why), made once, before its first match.
CREATE TABLE tournament_rounds (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    round INTEGER NOT NULL,
    decision TEXT NOT NULL,
    decided_us INTEGER NOT NULL,
    PRIMARY KEY (tournament, round)
) WITHOUT ROWID;

-- Written by the transaction that ends the match; number counts over the whole tournament. notes: a JSON list
-- by seat of what the match's own row does not hold.
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

-- The tournament's entrant on the seat.
ALTER TABLE seats ADD COLUMN entrant TEXT;
CREATE INDEX seats_by_entrant ON seats (entrant, match_id) WHERE entrant IS NOT NULL;
