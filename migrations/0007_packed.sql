-- What `entries` held of a session that has ended, compressed, in one row. content: zstd of the columns
-- that src/store/packed.rs describes, bytes long before compression.
CREATE TABLE packed (
    session INTEGER PRIMARY KEY,
    first_entry INTEGER NOT NULL,
    last_entry INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    dictionary INTEGER,
    content BLOB NOT NULL
);
-- An entry's number is never given twice, though its row has gone.
CREATE INDEX packed_by_last ON packed (last_entry);

-- Versions of each game's dictionary, trained on its first sessions. Kept for ever: rows of `packed` name theirs.
CREATE TABLE dictionaries (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    created_us INTEGER NOT NULL,
    content BLOB NOT NULL
);

-- 1: packed. 0: it stays in `entries`, because it is not whole. NULL: not yet.
ALTER TABLE sessions ADD COLUMN packed INTEGER;
CREATE INDEX sessions_unpacked ON sessions (id)
    WHERE packed IS NULL AND ended_us IS NOT NULL AND last_entry IS NOT NULL;
