-- Matches of tournaments that workers are to play. A row is there from the moment its round is put into the queue until the
-- transaction that stores the match's result. round: the round whose results decide what its bots have learnt. task: JSON,
-- all that a worker needs besides the tournament's own row. needs_cmd: whether only workers that run others' commands may
-- play it. free_us: from when on it may be claimed, by this database's clock: its place in the round's order until it is
-- first claimed, then the end of the claim. claim: the number of the last claim, which a result must name; it begins with
-- the time, so that it rises over rows that were taken out and put in again. attempts: claims that led to no result and
-- were not given back. worker: who claimed it last. failure: how its last attempt failed, where a worker said so.
CREATE TABLE planned_matches (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    number INTEGER NOT NULL,
    round INTEGER NOT NULL,
    task TEXT NOT NULL,
    needs_cmd INTEGER NOT NULL,
    free_us INTEGER NOT NULL,
    claim INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    worker TEXT,
    failure TEXT,
    PRIMARY KEY (tournament, number)
) WITHOUT ROWID;
CREATE INDEX planned_matches_free ON planned_matches (tournament, round, free_us);
