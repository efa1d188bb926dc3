-- How a seat took part in its match: played, crashed, silent, refused or dropped; from which of its decisions on, counted
-- from 1; and how many of its decisions its fallback took. Of a seat without a row that is not known: matches that ended
-- before this version, and most seats of others' matches.
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
