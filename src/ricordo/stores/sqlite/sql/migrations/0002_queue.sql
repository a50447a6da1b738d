-- Work that waits to be claimed.

CREATE TABLE queue (
    namespace INTEGER NOT NULL REFERENCES namespace (key),
    item TEXT NOT NULL,
    claimant TEXT,
    claimed_until INTEGER,
    PRIMARY KEY (namespace, item)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 2;
