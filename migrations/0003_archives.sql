-- Files that machines exchange by way of this database, such as users' bots, each in parts. digest: of what is packed, and
-- platform: on which machines it runs, '' on all. upload: which of several uploads it is. parts: how many there are; NULL
-- while it is being uploaded, by whom this upload is. used_us: by this database's clock, when it was last asked for, or,
-- while it is being uploaded, when that was last known to go on.
CREATE TABLE archives (
    digest TEXT NOT NULL,
    platform TEXT NOT NULL,
    upload TEXT NOT NULL,
    parts INTEGER,
    used_us INTEGER NOT NULL,
    PRIMARY KEY (digest, platform)
) WITHOUT ROWID;
CREATE TABLE archive_parts (
    upload TEXT NOT NULL,
    part INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (upload, part)
);
