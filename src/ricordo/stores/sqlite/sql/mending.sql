-- Statements that bring what is derived in line with the originals, and that read what is left of a damaged file.

-- name: size_told
SELECT page_count * page_size FROM pragma_page_count, pragma_page_size;

-- name: reindex
REINDEX;

-- name: empty_words
INSERT INTO lexeme_index (lexeme_index) VALUES ('delete-all');

-- name: fill_words
-- As the trigger `chunk_added` does.
INSERT INTO lexeme_index (rowid, lexemes, context_lexemes)
SELECT
    key,
    iif(lexemes = '', '', namespace || ':' || replace(lexemes, ' ', ' ' || namespace || ':')),
    iif(context_lexemes = '', '', namespace || ':' || replace(context_lexemes, ' ', ' ' || namespace || ':'))
FROM chunk;

-- name: drop_lost_vectors
DELETE FROM embedding WHERE chunk NOT IN (SELECT key FROM chunk) OR embedder NOT IN (SELECT key FROM embedder);

-- name: drop_lost_tokens
DELETE FROM token_embedding WHERE chunk NOT IN (SELECT key FROM chunk) OR embedder NOT IN (SELECT key FROM embedder);

-- name: drop_odd_vectors
-- All vectors of an embedder are of one length; of few that differ, the many are right.
DELETE FROM embedding WHERE key IN (
    SELECT v.key FROM embedding v
    WHERE length(v.vector) <> (
        SELECT length(o.vector) FROM embedding o WHERE o.embedder = v.embedder
        GROUP BY 1 ORDER BY count(*) DESC LIMIT 1
    )
);

-- name: drop_lost_chunks
DELETE FROM chunk WHERE NOT EXISTS (
    SELECT 1 FROM memory m WHERE m.namespace = chunk.namespace AND m.id = chunk.memory_id
);

-- name: add_lost_namespaces
INSERT INTO namespace (key, name)
SELECT DISTINCT m.namespace, 'recovered ' || m.namespace FROM memory m
WHERE m.namespace NOT IN (SELECT key FROM namespace);

-- name: add_lost_origins
INSERT INTO origin (namespace, uri, kind)
SELECT DISTINCT m.namespace, m.origin_uri, iif(substr(m.origin_uri, 1, 5) = 'told:', 'told', 'recovered') FROM memory m
WHERE NOT EXISTS (SELECT 1 FROM origin o WHERE o.namespace = m.namespace AND o.uri = m.origin_uri);

-- name: show_hidden
UPDATE memory SET superseded_by = NULL WHERE superseded_by IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM memory n WHERE n.namespace = memory.namespace AND n.id = memory.superseded_by
);

-- name: count_anew
UPDATE namespace SET
    chunks = (SELECT count(*) FROM chunk c WHERE c.namespace = namespace.key),
    lexemes = (SELECT coalesce(sum(c.length), 0) FROM chunk c WHERE c.namespace = namespace.key),
    contexts = (SELECT count(*) FROM chunk c WHERE c.namespace = namespace.key AND c.context_length > 0),
    context_lexemes = (SELECT coalesce(sum(c.context_length), 0) FROM chunk c WHERE c.namespace = namespace.key);

-- name: count_tombstones
SELECT count(*) FROM tombstone;

-- name: read_all_again
-- Of an origin some of whose memories were lost nothing says which.
UPDATE origin SET revision = NULL;

-- name: last_namespace
SELECT max(rowid) FROM namespace;

-- name: read_namespace
SELECT rowid AS place, key, name FROM namespace WHERE rowid BETWEEN :first AND :last ORDER BY rowid;

-- name: save_namespace
INSERT OR IGNORE INTO namespace (key, name) VALUES (:key, :name);

-- name: named_namespace
SELECT key, name FROM namespace ORDER BY name;

-- name: named_embedder
SELECT key, fingerprint FROM embedder ORDER BY fingerprint;

-- name: last_embedder
SELECT max(rowid) FROM embedder;

-- name: read_embedder
SELECT rowid AS place, key, fingerprint FROM embedder WHERE rowid BETWEEN :first AND :last ORDER BY rowid;

-- name: save_embedder
INSERT OR IGNORE INTO embedder (key, fingerprint) VALUES (:key, :fingerprint);

-- name: last_origin
SELECT max(rowid) FROM origin;

-- name: read_origin
SELECT rowid AS place, namespace, uri, kind, title FROM origin WHERE rowid BETWEEN :first AND :last ORDER BY rowid;

-- name: save_origin
INSERT OR IGNORE INTO origin (namespace, uri, kind, title) VALUES (:namespace, :uri, :kind, :title);

-- name: last_memory
SELECT seq FROM sqlite_sequence WHERE name = 'memory';

-- name: read_memory
SELECT
    rowid AS place, key, namespace, id, origin_uri, text, context, grouping, speaker, position, created_at, updated_at,
    event_timestamp, event_end, event_grain, event_origin, tags, metadata, supersedes, superseded_by
FROM memory WHERE rowid BETWEEN :first AND :last ORDER BY rowid;

-- name: save_memory
INSERT OR IGNORE INTO memory (
    key, namespace, id, origin_uri, text, context, grouping, speaker, position, created_at, updated_at,
    event_timestamp, event_end, event_grain, event_origin, tags, metadata, supersedes, superseded_by
) VALUES (
    :key, :namespace, :id, :origin_uri, :text, :context, :grouping, :speaker, :position, :created_at, :updated_at,
    :event_timestamp, :event_end, :event_grain, :event_origin, :tags, :metadata, :supersedes, :superseded_by
);

-- name: last_chunk
SELECT seq FROM sqlite_sequence WHERE name = 'chunk';

-- name: read_chunk
SELECT
    rowid AS place, key, namespace, id, memory_id, text, context, position, length, context_length, lexemes,
    context_lexemes
FROM chunk WHERE rowid BETWEEN :first AND :last ORDER BY rowid;

-- name: save_chunk
INSERT OR IGNORE INTO chunk (
    key, namespace, id, memory_id, text, context, position, length, context_length, lexemes, context_lexemes
) VALUES (
    :key, :namespace, :id, :memory_id, :text, :context, :position, :length, :context_length, :lexemes, :context_lexemes
);

-- name: last_embedding
SELECT seq FROM sqlite_sequence WHERE name = 'embedding';

-- name: read_embedding
SELECT rowid AS place, key, namespace, embedder, chunk, vector FROM embedding
WHERE rowid BETWEEN :first AND :last ORDER BY rowid;

-- name: save_embedding
INSERT OR IGNORE INTO embedding (key, namespace, embedder, chunk, vector)
VALUES (:key, :namespace, :embedder, :chunk, :vector);

-- name: last_token_embedding
SELECT max(rowid) FROM token_embedding;

-- name: read_token_embedding
SELECT rowid AS place, chunk, embedder, tokens FROM token_embedding
WHERE rowid BETWEEN :first AND :last ORDER BY rowid;

-- name: save_token_embedding
INSERT OR IGNORE INTO token_embedding (chunk, embedder, tokens) VALUES (:chunk, :embedder, :tokens);

-- name: tombstones_forwards
SELECT namespace, memory_id, forgotten_at FROM tombstone ORDER BY namespace, memory_id;

-- name: tombstones_backwards
SELECT namespace, memory_id, forgotten_at FROM tombstone ORDER BY namespace DESC, memory_id DESC;

-- name: save_tombstone
INSERT OR IGNORE INTO tombstone (namespace, memory_id, forgotten_at) VALUES (:namespace, :memory_id, :forgotten_at);

-- name: columns
SELECT name FROM pragma_table_info(:table);

-- name: saved_namespace
SELECT count(*) FROM namespace;

-- name: saved_embedder
SELECT count(*) FROM embedder;

-- name: saved_origin
SELECT count(*) FROM origin;

-- name: saved_memory
SELECT count(*) FROM memory;

-- name: saved_chunk
SELECT count(*) FROM chunk;

-- name: saved_embedding
SELECT count(*) FROM embedding;

-- name: saved_token_embedding
SELECT count(*) FROM token_embedding;
