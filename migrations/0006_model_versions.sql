-- Every version of every opponent model, kept for ever: a session names those that advised it.
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
INSERT INTO model_versions (game, kind, name, version, model, updated_us, last_match)
SELECT game, kind, name, version, model, updated_us, last_match FROM opponent_models ORDER BY id;
CREATE TRIGGER opponent_models_first AFTER INSERT ON opponent_models BEGIN
    INSERT INTO model_versions (game, kind, name, version, model, updated_us, last_match)
    VALUES (new.game, new.kind, new.name, new.version, new.model, new.updated_us, new.last_match);
END;
CREATE TRIGGER opponent_models_next AFTER UPDATE ON opponent_models
WHEN new.version > old.version BEGIN
    INSERT INTO model_versions (game, kind, name, version, model, updated_us, last_match)
    VALUES (new.game, new.kind, new.name, new.version, new.model, new.updated_us, new.last_match);
END;
