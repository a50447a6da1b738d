-- The PostgreSQL store, whole. A test proves that this is the sum of the migrations.
--
-- The namespace leads every key and stands in every statement, so that the tables can be distributed by it.
-- Ids and lexemes are compared byte by byte (COLLATE "C"), as the other stores compare them.
-- There are no triggers: what is counted is counted by the statements that change it.

CREATE SCHEMA IF NOT EXISTS ricordo;

CREATE TABLE ricordo.schema_version (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT schema_version_pkey PRIMARY KEY (version)
);

CREATE TABLE ricordo.namespace (
    namespace text NOT NULL,
    CONSTRAINT namespace_pkey PRIMARY KEY (namespace)
);

-- `id` is a digest of the uri, which may be too long for an index.
CREATE TABLE ricordo.origin (
    namespace text NOT NULL,
    id text COLLATE "C" NOT NULL,
    uri text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    title text,
    revision text,
    CONSTRAINT origin_pkey PRIMARY KEY (namespace, id)
);

-- `version` is how many versions came before.
CREATE TABLE ricordo.memory (
    namespace text NOT NULL,
    id text COLLATE "C" NOT NULL,
    origin_id text COLLATE "C" NOT NULL,
    text text NOT NULL,
    context text NOT NULL,
    grouping text,
    speaker text,
    position integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    event_timestamp timestamptz,
    event_end timestamptz,
    event_grain text,
    event_origin text,
    tags text[] NOT NULL,
    metadata jsonb NOT NULL,
    supersedes text COLLATE "C",
    superseded_by text COLLATE "C",
    version integer NOT NULL,
    CONSTRAINT memory_pkey PRIMARY KEY (namespace, id),
    CONSTRAINT memory_origin_fkey FOREIGN KEY (namespace, origin_id) REFERENCES ricordo.origin (namespace, id)
);

CREATE INDEX memory_by_origin ON ricordo.memory (namespace, origin_id, position);
CREATE INDEX memory_by_event ON ricordo.memory (namespace, event_timestamp, id) WHERE event_timestamp IS NOT NULL;
CREATE INDEX memory_by_overlap ON ricordo.memory (namespace, coalesce(event_end, event_timestamp), event_timestamp);
CREATE INDEX memory_by_supersedes ON ricordo.memory (namespace, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX memory_by_superseded_by ON ricordo.memory (namespace, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_by_version ON ricordo.memory (namespace, version, id) WHERE version > 0;
CREATE INDEX memory_by_tags ON ricordo.memory USING gin (tags);
CREATE INDEX memory_by_metadata ON ricordo.memory USING gin (metadata jsonb_path_ops);

-- `lexemes` holds each lexeme of the text once for every time it occurs, weighed A, and each of the context,
-- weighed B; the positions only count. `current` repeats that the memory has not been superseded.
CREATE TABLE ricordo.chunk (
    namespace text NOT NULL,
    id text COLLATE "C" NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    text text NOT NULL,
    context text NOT NULL,
    position integer NOT NULL,
    length integer NOT NULL,
    context_length integer NOT NULL,
    lexemes tsvector NOT NULL,
    current boolean NOT NULL,
    CONSTRAINT chunk_pkey PRIMARY KEY (namespace, id),
    CONSTRAINT chunk_memory_fkey FOREIGN KEY (namespace, memory_id) REFERENCES ricordo.memory (namespace, id)
        ON DELETE CASCADE
);

CREATE INDEX chunk_by_memory ON ricordo.chunk (namespace, memory_id, position);
CREATE INDEX chunk_by_lexeme ON ricordo.chunk USING gin (lexemes) WITH (fastupdate = off);

CREATE TABLE ricordo.embedder (
    namespace text NOT NULL,
    id text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    CONSTRAINT embedder_pkey PRIMARY KEY (namespace, id)
);

-- A narrow table, so that an exact search reads little else than vectors; `memory_id` and `current` repeat what the
-- chunk says. HNSW indexes, one for each embedder, are made when a namespace outgrows the exact search.
CREATE TABLE ricordo.embedding (
    namespace text NOT NULL,
    chunk_id text COLLATE "C" NOT NULL,
    embedder_id text COLLATE "C" NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    current boolean NOT NULL,
    vector halfvec NOT NULL,
    CONSTRAINT embedding_pkey PRIMARY KEY (namespace, chunk_id, embedder_id),
    CONSTRAINT embedding_chunk_fkey FOREIGN KEY (namespace, chunk_id) REFERENCES ricordo.chunk (namespace, id)
        ON DELETE CASCADE,
    CONSTRAINT embedding_embedder_fkey FOREIGN KEY (namespace, embedder_id)
        REFERENCES ricordo.embedder (namespace, id)
);

CREATE INDEX embedding_by_memory ON ricordo.embedding (namespace, memory_id);
ALTER TABLE ricordo.embedding ALTER COLUMN vector SET STORAGE PLAIN;

-- Token vectors: the signs of each token's vector, one bit a dimension, which no compression makes shorter.
CREATE TABLE ricordo.token_embedding (
    namespace text NOT NULL,
    chunk_id text COLLATE "C" NOT NULL,
    embedder_id text COLLATE "C" NOT NULL,
    tokens bytea NOT NULL,
    CONSTRAINT token_embedding_pkey PRIMARY KEY (namespace, chunk_id, embedder_id),
    CONSTRAINT token_embedding_chunk_fkey FOREIGN KEY (namespace, chunk_id) REFERENCES ricordo.chunk (namespace, id)
        ON DELETE CASCADE,
    CONSTRAINT token_embedding_embedder_fkey FOREIGN KEY (namespace, embedder_id)
        REFERENCES ricordo.embedder (namespace, id)
);

ALTER TABLE ricordo.token_embedding ALTER COLUMN tokens SET STORAGE EXTERNAL;

CREATE TABLE ricordo.tombstone (
    namespace text NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    forgotten_at timestamptz NOT NULL,
    CONSTRAINT tombstone_pkey PRIMARY KEY (namespace, memory_id)
);

-- What BM25 and the choice of a search need to know of a namespace. Each batch appends its changes and none
-- waits for another; a count is the sum of its rows, and rows are folded into one now and then.
CREATE TABLE ricordo.counter (
    namespace text NOT NULL,
    name text COLLATE "C" NOT NULL,
    batch text COLLATE "C" NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT counter_pkey PRIMARY KEY (namespace, name, batch)
);

-- The number of chunks that hold each lexeme, kept likewise.
CREATE TABLE ricordo.frequency (
    namespace text NOT NULL,
    lexeme text COLLATE "C" NOT NULL,
    batch text COLLATE "C" NOT NULL,
    chunks bigint NOT NULL,
    CONSTRAINT frequency_pkey PRIMARY KEY (namespace, lexeme, batch)
);

-- Work that waits; claimed until some moment, and then for others again. `id` is a digest of the item, which may be
-- too long for an index.
CREATE TABLE ricordo.queue (
    namespace text NOT NULL,
    id text COLLATE "C" NOT NULL,
    item text NOT NULL,
    claimant text,
    claimed_until timestamptz,
    CONSTRAINT queue_pkey PRIMARY KEY (namespace, id)
);
