-- A wire may tell who won without telling the scores.
CREATE TABLE results_2 (
    match_id TEXT NOT NULL REFERENCES matches (id),
    seat INTEGER NOT NULL,
    score INTEGER,
    win_share REAL NOT NULL,
    PRIMARY KEY (match_id, seat)
) WITHOUT ROWID;
INSERT INTO results_2 SELECT match_id, seat, score, win_share FROM results;
DROP TABLE results;
ALTER TABLE results_2 RENAME TO results;
