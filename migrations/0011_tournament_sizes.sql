-- How many rounds of a tournament were decided and how many of its matches have ended: counting them anew takes long
-- where they lie scattered over a large file.
CREATE TABLE tournament_sizes (
    tournament TEXT NOT NULL PRIMARY KEY,
    rounds INTEGER NOT NULL,
    matches INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO tournament_sizes
SELECT id, (SELECT count(*) FROM tournament_rounds r WHERE r.tournament = id),
    (SELECT count(*) FROM tournament_matches p WHERE p.tournament = id)
FROM tournaments;
CREATE TRIGGER tournament_rounds_counted AFTER INSERT ON tournament_rounds BEGIN
    INSERT INTO tournament_sizes VALUES (new.tournament, 1, 0)
    ON CONFLICT (tournament) DO UPDATE SET rounds = rounds + 1;
END;
CREATE TRIGGER tournament_matches_counted AFTER INSERT ON tournament_matches BEGIN
    INSERT INTO tournament_sizes VALUES (new.tournament, 0, 1)
    ON CONFLICT (tournament) DO UPDATE SET matches = matches + 1;
END;
