-- Statements over all namespaces. On a cluster they ask every node; there are no others.

-- name: namespaces
SELECT n.namespace FROM ricordo.namespace n ORDER BY n.namespace COLLATE "C"

-- name: count_memories
SELECT m.namespace, count(*) AS memories FROM ricordo.memory m GROUP BY m.namespace ORDER BY m.namespace

-- name: count_chunks
SELECT count(*) AS chunks FROM ricordo.chunk

-- name: count_vectors
SELECT d.fingerprint, count(*) AS vectors
FROM ricordo.embedding e
JOIN ricordo.embedder d ON d.namespace = e.namespace AND d.id = e.embedder_id
GROUP BY d.fingerprint

-- name: count_tokens
SELECT d.fingerprint, count(*) AS texts
FROM ricordo.token_embedding t
JOIN ricordo.embedder d ON d.namespace = t.namespace AND d.id = t.embedder_id
GROUP BY d.fingerprint

-- name: memories_without_chunks
SELECT count(*) AS found FROM ricordo.memory m
WHERE NOT EXISTS (SELECT 1 FROM ricordo.chunk c WHERE c.namespace = m.namespace AND c.memory_id = m.id)

-- name: chunks_marked_wrong
SELECT count(*) AS found FROM ricordo.chunk c
JOIN ricordo.memory m ON m.namespace = c.namespace AND m.id = c.memory_id
WHERE c.current <> (m.superseded_by IS NULL)

-- name: vectors_marked_wrong
SELECT count(*) AS found FROM ricordo.embedding e
JOIN ricordo.chunk c ON c.namespace = e.namespace AND c.id = e.chunk_id
WHERE e.current <> c.current OR e.memory_id <> c.memory_id

-- name: wrong_counters
SELECT counted.namespace FROM (
    SELECT c.namespace, 'chunks' AS name, count(*) AS amount FROM ricordo.chunk c GROUP BY c.namespace
    UNION ALL
    SELECT c.namespace, 'lexemes', sum(c.length) FROM ricordo.chunk c GROUP BY c.namespace
    UNION ALL
    SELECT c.namespace, 'contexts', count(*) FROM ricordo.chunk c WHERE c.context_length > 0 GROUP BY c.namespace
    UNION ALL
    SELECT c.namespace, 'context lexemes', sum(c.context_length) FROM ricordo.chunk c GROUP BY c.namespace
    UNION ALL
    SELECT e.namespace, 'vectors ' || e.embedder_id, count(*) FROM ricordo.embedding e
    GROUP BY e.namespace, e.embedder_id
) counted
FULL JOIN (
    SELECT c.namespace, c.name, sum(c.amount) AS amount FROM ricordo.counter c GROUP BY c.namespace, c.name
) kept ON kept.namespace = counted.namespace AND kept.name = counted.name
WHERE coalesce(counted.amount, 0) <> coalesce(kept.amount, 0)

-- name: wrong_frequencies
SELECT count(*) AS found FROM (
    SELECT c.namespace, x.lexeme, count(*) AS chunks FROM ricordo.chunk c CROSS JOIN LATERAL unnest(c.lexemes) x
    GROUP BY c.namespace, x.lexeme
) counted
FULL JOIN (
    SELECT f.namespace, f.lexeme, sum(f.chunks) AS chunks FROM ricordo.frequency f GROUP BY f.namespace, f.lexeme
) kept ON kept.namespace = counted.namespace AND kept.lexeme = counted.lexeme
WHERE coalesce(counted.chunks, 0) <> coalesce(kept.chunks, 0)

-- name: count_everywhere
SELECT coalesce(sum(c.amount), 0)::bigint AS amount FROM ricordo.counter c WHERE c.name = %(name)s

-- name: cache_kib
-- What the server takes the cache of its machine to be.
SELECT (pg_size_bytes(current_setting('effective_cache_size')) / 1024)::bigint AS kib

-- name: allow_index_memory
SET LOCAL maintenance_work_mem = {kib}

-- name: size
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes
FROM pg_class c WHERE c.relnamespace = to_regnamespace('ricordo') AND c.relkind = 'r'

-- name: reclaim
VACUUM
    ricordo.memory, ricordo.chunk, ricordo.embedding, ricordo.token_embedding, ricordo.counter, ricordo.frequency,
    ricordo.tombstone, ricordo.queue

-- name: rewrite
VACUUM (FULL, ANALYZE)
    ricordo.namespace, ricordo.origin, ricordo.memory, ricordo.chunk, ricordo.embedder, ricordo.embedding,
    ricordo.token_embedding, ricordo.tombstone, ricordo.counter, ricordo.frequency, ricordo.queue

-- name: rewrite_statistics
VACUUM (FULL) pg_catalog.pg_statistic

-- name: end_log
SELECT pg_switch_wal()

-- name: fold_log
CHECKPOINT

-- name: analyse
ANALYZE
    ricordo.origin, ricordo.memory, ricordo.chunk, ricordo.embedding, ricordo.token_embedding, ricordo.counter,
    ricordo.frequency

-- name: available_extension
SELECT default_version AS version FROM pg_available_extensions WHERE name = 'vector'

-- name: installed_extension
SELECT extversion AS version FROM pg_extension WHERE extname = 'vector'

-- name: make_extension
CREATE EXTENSION IF NOT EXISTS vector

-- name: server_version
SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version

-- name: lock_schema
SELECT pg_advisory_xact_lock(1919182703, 1)

-- name: has_schema
SELECT to_regclass('ricordo.schema_version') IS NOT NULL AS present

-- name: row_security
SELECT row_security_active('ricordo.memory') AS active

-- name: schema_version
SELECT coalesce(max(v.version), 0) AS version FROM ricordo.schema_version v

-- name: set_schema_version
INSERT INTO ricordo.schema_version (version, name) VALUES (%(version)s, %(name)s)

-- name: has_citus
SELECT 1 FROM pg_extension WHERE extname = 'citus'

-- name: distributed_tables
SELECT n.nspname || '.' || c.relname AS name
FROM pg_dist_partition p
JOIN pg_class c ON c.oid = p.logicalrelid
JOIN pg_namespace n ON n.oid = c.relnamespace

-- name: distribute_table
SELECT create_distributed_table(%(name)s::text::regclass, 'namespace', colocate_with => %(beside)s)

-- name: replicate_table
SELECT create_reference_table(%(name)s::text::regclass)

-- name: truncate_local_rows
SELECT truncate_local_data_after_distributing_table(%(name)s::text::regclass)

-- name: distributed_size
SELECT coalesce(sum(citus_total_relation_size(p.logicalrelid)), 0)::bigint AS bytes FROM pg_dist_partition p

-- name: hidden_memories
SELECT count(*) AS found FROM ricordo.memory m WHERE m.superseded_by IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ricordo.memory n WHERE n.namespace = m.namespace AND n.id = m.superseded_by
)

-- name: lock_for_mending
LOCK TABLE
    ricordo.memory, ricordo.chunk, ricordo.embedding, ricordo.counter, ricordo.frequency
IN SHARE ROW EXCLUSIVE MODE

-- name: show_hidden
UPDATE ricordo.memory SET superseded_by = NULL WHERE superseded_by IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ricordo.memory n WHERE n.namespace = memory.namespace AND n.id = memory.superseded_by
)

-- name: mark_chunks_anew
UPDATE ricordo.chunk SET current = (m.superseded_by IS NULL) FROM ricordo.memory m
WHERE m.namespace = chunk.namespace AND m.id = chunk.memory_id AND chunk.current <> (m.superseded_by IS NULL)

-- name: mark_vectors_anew
UPDATE ricordo.embedding SET current = c.current, memory_id = c.memory_id FROM ricordo.chunk c
WHERE c.namespace = embedding.namespace AND c.id = embedding.chunk_id
    AND (embedding.current <> c.current OR embedding.memory_id <> c.memory_id)

-- name: drop_counters
DELETE FROM ricordo.counter

-- name: count_anew
INSERT INTO ricordo.counter (namespace, name, batch, amount)
SELECT c.namespace, 'chunks', 'mended', count(*) FROM ricordo.chunk c GROUP BY c.namespace
UNION ALL
SELECT c.namespace, 'lexemes', 'mended', sum(c.length) FROM ricordo.chunk c GROUP BY c.namespace
UNION ALL
SELECT c.namespace, 'contexts', 'mended', count(*) FROM ricordo.chunk c
WHERE c.context_length > 0 GROUP BY c.namespace
UNION ALL
SELECT c.namespace, 'context lexemes', 'mended', sum(c.context_length) FROM ricordo.chunk c GROUP BY c.namespace
UNION ALL
SELECT e.namespace, 'vectors ' || e.embedder_id, 'mended', count(*) FROM ricordo.embedding e
GROUP BY e.namespace, e.embedder_id

-- name: drop_frequencies
DELETE FROM ricordo.frequency

-- name: count_frequencies_anew
INSERT INTO ricordo.frequency (namespace, lexeme, batch, chunks)
SELECT c.namespace, x.lexeme, 'mended', count(*) FROM ricordo.chunk c CROSS JOIN LATERAL unnest(c.lexemes) x
GROUP BY c.namespace, x.lexeme

-- name: reindex
REINDEX SCHEMA ricordo
