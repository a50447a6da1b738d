-- The SQLite store, whole. A test proves that this is the sum of the migrations.
--
-- Times are microseconds since 1970 UTC. Lexemes are joined by one space.
-- In lexeme_index every lexeme is prefixed by its namespace's key ("3:invoice"), so that each namespace has
-- posting lists and document frequencies of its own.

CREATE TABLE namespace (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    chunks INTEGER NOT NULL DEFAULT 0,
    lexemes INTEGER NOT NULL DEFAULT 0,
    contexts INTEGER NOT NULL DEFAULT 0, -- chunks that have a context
    context_lexemes INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE origin (
    namespace INTEGER NOT NULL REFERENCES namespace (key),
    uri TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT,
    revision TEXT,
    PRIMARY KEY (namespace, uri)
) STRICT;

CREATE TABLE memory (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    id TEXT NOT NULL,
    origin_uri TEXT NOT NULL,
    text TEXT NOT NULL,
    context TEXT NOT NULL,
    grouping TEXT,
    speaker TEXT,
    position INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    event_timestamp INTEGER,
    event_end INTEGER,
    event_grain TEXT,
    event_origin TEXT,
    tags TEXT NOT NULL CHECK (json_valid(tags)),
    metadata TEXT NOT NULL CHECK (json_valid(metadata)),
    supersedes TEXT,
    superseded_by TEXT,
    UNIQUE (namespace, id),
    FOREIGN KEY (namespace, origin_uri) REFERENCES origin (namespace, uri)
) STRICT;

CREATE INDEX memory_by_origin ON memory (namespace, origin_uri, position);
CREATE INDEX memory_by_event ON memory (namespace, event_timestamp) WHERE event_timestamp IS NOT NULL;
CREATE INDEX memory_by_supersedes ON memory (namespace, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX memory_by_superseded_by ON memory (namespace, superseded_by) WHERE superseded_by IS NOT NULL;

-- Keys are never used twice: processes that hold vectors in memory know chunks by them.
CREATE TABLE chunk (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    text TEXT NOT NULL,
    context TEXT NOT NULL,
    position INTEGER NOT NULL,
    length INTEGER NOT NULL,
    context_length INTEGER NOT NULL,
    lexemes TEXT NOT NULL,
    context_lexemes TEXT NOT NULL,
    UNIQUE (namespace, id),
    FOREIGN KEY (namespace, memory_id) REFERENCES memory (namespace, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX chunk_by_memory ON chunk (namespace, memory_id, position);

CREATE TABLE embedder (
    key INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE
) STRICT;

-- One vector: little-endian IEEE 754 half-precision numbers. `key` grows with every write, so that a process
-- which has read up to some key can ask for what came after it.
CREATE TABLE embedding (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL REFERENCES namespace (key),
    embedder INTEGER NOT NULL REFERENCES embedder (key),
    chunk INTEGER NOT NULL REFERENCES chunk (key) ON DELETE CASCADE,
    vector BLOB NOT NULL,
    UNIQUE (chunk, embedder)
) STRICT;

CREATE INDEX embedding_by_namespace ON embedding (namespace, embedder, key);

-- Token vectors: the signs of each token's vector, one bit a dimension, 1 for a positive sign.
CREATE TABLE token_embedding (
    chunk INTEGER NOT NULL REFERENCES chunk (key) ON DELETE CASCADE,
    embedder INTEGER NOT NULL REFERENCES embedder (key),
    tokens BLOB NOT NULL,
    PRIMARY KEY (chunk, embedder)
) STRICT;

-- Chunks whose state changed after they were written (forgotten, superseded, moved to another memory).
CREATE TABLE chunk_change (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    chunk INTEGER NOT NULL
) STRICT;

CREATE INDEX chunk_change_by_namespace ON chunk_change (namespace, key);

CREATE TABLE tombstone (
    namespace INTEGER NOT NULL REFERENCES namespace (key),
    memory_id TEXT NOT NULL,
    forgotten_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, memory_id)
) STRICT, WITHOUT ROWID;

-- Work that waits; claimed until some moment, and then for others again.
CREATE TABLE queue (
    namespace INTEGER NOT NULL REFERENCES namespace (key),
    item TEXT NOT NULL,
    claimant TEXT,
    claimed_until INTEGER,
    PRIMARY KEY (namespace, item)
) STRICT, WITHOUT ROWID;

-- All ASCII punctuation is part of a token, as all non-ASCII characters are: the analyzer alone says what a lexeme is.
CREATE VIRTUAL TABLE lexeme_index USING fts5 (
    lexemes, context_lexemes, content = '',
    tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

INSERT INTO lexeme_index (lexeme_index, rank) VALUES ('rank', 'bm25(1.0, 0.3)');

CREATE VIRTUAL TABLE lexeme_vocabulary USING fts5vocab (lexeme_index, 'row');

CREATE TRIGGER chunk_added AFTER INSERT ON chunk BEGIN
    INSERT INTO lexeme_index (rowid, lexemes, context_lexemes) VALUES (
        new.key,
        iif(new.lexemes = '', '', new.namespace || ':' || replace(new.lexemes, ' ', ' ' || new.namespace || ':')),
        iif(new.context_lexemes = '', '',
            new.namespace || ':' || replace(new.context_lexemes, ' ', ' ' || new.namespace || ':'))
    );
    UPDATE namespace SET
        chunks = chunks + 1,
        lexemes = lexemes + new.length,
        contexts = contexts + (new.context_length > 0),
        context_lexemes = context_lexemes + new.context_length
    WHERE key = new.namespace;
END;

CREATE TRIGGER chunk_removed AFTER DELETE ON chunk BEGIN
    INSERT INTO lexeme_index (lexeme_index, rowid, lexemes, context_lexemes) VALUES (
        'delete',
        old.key,
        iif(old.lexemes = '', '', old.namespace || ':' || replace(old.lexemes, ' ', ' ' || old.namespace || ':')),
        iif(old.context_lexemes = '', '',
            old.namespace || ':' || replace(old.context_lexemes, ' ', ' ' || old.namespace || ':'))
    );
    UPDATE namespace SET
        chunks = chunks - 1,
        lexemes = lexemes - old.length,
        contexts = contexts - (old.context_length > 0),
        context_lexemes = context_lexemes - old.context_length
    WHERE key = old.namespace;
    INSERT INTO chunk_change (namespace, chunk) VALUES (old.namespace, old.key);
END;

CREATE TRIGGER chunk_moved AFTER UPDATE OF memory_id ON chunk WHEN old.memory_id <> new.memory_id BEGIN
    INSERT INTO chunk_change (namespace, chunk) VALUES (new.namespace, new.key);
END;

CREATE TRIGGER memory_superseded AFTER UPDATE OF superseded_by ON memory
WHEN old.superseded_by IS NOT new.superseded_by BEGIN
    INSERT INTO chunk_change (namespace, chunk)
    SELECT namespace, key FROM chunk WHERE namespace = new.namespace AND memory_id = new.id;
END;

CREATE TRIGGER memory_removed AFTER DELETE ON memory BEGIN
    DELETE FROM origin
    WHERE namespace = old.namespace AND uri = old.origin_uri AND NOT EXISTS (
        SELECT 1 FROM memory WHERE namespace = old.namespace AND origin_uri = old.origin_uri
    );
END;
