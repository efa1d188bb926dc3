-- The note that a running match of a user's program began with, by session: told its match again after a restart, it is
-- given the same one. Gone once it has ended.
CREATE TABLE notes_given (
    session INTEGER PRIMARY KEY,
    note TEXT NOT NULL
);
