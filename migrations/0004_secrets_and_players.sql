-- What this database keeps to itself, by name: never shown and never logged.
CREATE TABLE secrets (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
-- Each seat's number on the wire where our own referee drew it. Seats without one are from before: so many
-- a market, counted from 1.
ALTER TABLE seats ADD COLUMN player INTEGER;
CREATE INDEX seats_by_player ON seats (player) WHERE player IS NOT NULL;
