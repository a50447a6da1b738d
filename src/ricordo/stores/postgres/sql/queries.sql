-- name: begin_reading
-- The planner is told that any page is as near as the next, as it is in memory and on today's disks; and that joins
-- stand in the order in which they are best made, for looking for a better one takes longer than some statements.
BEGIN READ ONLY;
SET LOCAL citus.propagate_set_commands = 'local';
SET LOCAL statement_timeout = '60s';
SET LOCAL jit = off;
SET LOCAL random_page_cost = 1.1;
SET LOCAL join_collapse_limit = 1

-- name: begin_word_search
-- The planner takes a look at every tsvector for cheaper than it is.
BEGIN READ ONLY;
SET LOCAL citus.propagate_set_commands = 'local';
SET LOCAL statement_timeout = '60s';
SET LOCAL jit = off;
SET LOCAL enable_seqscan = off

-- name: begin_writing
BEGIN;
SET LOCAL citus.propagate_set_commands = 'local';
SET LOCAL statement_timeout = '60s';
SET LOCAL jit = off

-- name: begin_maintaining
BEGIN;
SET LOCAL citus.propagate_set_commands = 'local';
SET LOCAL statement_timeout = 0;
SET LOCAL maintenance_work_mem = '512MB'

-- name: begin_checking
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL citus.propagate_set_commands = 'local';
SET LOCAL statement_timeout = 0;
SET LOCAL jit = off

-- name: add_namespace
INSERT INTO ricordo.namespace (namespace) VALUES (%(namespace)s) ON CONFLICT DO NOTHING

-- name: reading
-- What is known of an origin since its last whole reading.
SELECT
    o.revision,
    (
        SELECT count(*) FROM ricordo.memory m WHERE m.namespace = %(namespace)s AND m.origin_id = %(origin_id)s
    ) AS memories,
    (
        SELECT count(*) FROM ricordo.memory m
        JOIN ricordo.chunk c ON c.namespace = %(namespace)s AND c.memory_id = m.id
        WHERE m.namespace = %(namespace)s AND m.origin_id = %(origin_id)s
    ) AS chunks
FROM ricordo.origin o
WHERE o.namespace = %(namespace)s AND o.id = %(origin_id)s AND o.revision IS NOT NULL

-- name: tombstones
SELECT t.memory_id AS id FROM ricordo.tombstone t
WHERE t.namespace = %(namespace)s AND t.memory_id = ANY(%(ids)s::text[])

-- name: with_vectors
SELECT e.chunk_id AS id FROM ricordo.embedding e
WHERE e.namespace = %(namespace)s AND e.chunk_id = ANY(%(ids)s::text[]) AND e.embedder_id = %(embedder_id)s

-- name: with_tokens
SELECT t.chunk_id AS id FROM ricordo.token_embedding t
WHERE t.namespace = %(namespace)s AND t.chunk_id = ANY(%(ids)s::text[]) AND t.embedder_id = %(embedder_id)s

-- name: unread_chunks
-- One row: a million of them would each be an object.
SELECT coalesce(array_agg(c.id ORDER BY c.id), '{}') AS ids FROM ricordo.chunk c
WHERE c.namespace = %(namespace)s AND (
    NOT EXISTS (
        SELECT 1 FROM ricordo.embedding e
        WHERE e.namespace = %(namespace)s AND e.chunk_id = c.id AND e.embedder_id = %(embedder_id)s
    ) OR (%(token_embedder_id)s::text IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM ricordo.token_embedding t
        WHERE t.namespace = %(namespace)s AND t.chunk_id = c.id AND t.embedder_id = %(token_embedder_id)s
    ))
)

-- name: known_origins
SELECT o.id, o.title FROM ricordo.origin o
WHERE o.namespace = %(namespace)s AND o.id = ANY(%(ids)s::text[])

-- name: add_origin
INSERT INTO ricordo.origin (namespace, id, uri, kind, title)
VALUES (%(namespace)s, %(id)s, %(uri)s, %(kind)s, %(title)s)
ON CONFLICT (namespace, id) DO NOTHING

-- name: retitle_origin
UPDATE ricordo.origin SET title = %(title)s WHERE namespace = %(namespace)s AND id = %(id)s

-- name: close_reading
INSERT INTO ricordo.origin (namespace, id, uri, kind, title, revision)
VALUES (%(namespace)s, %(id)s, %(uri)s, %(kind)s, %(title)s, %(revision)s)
ON CONFLICT (namespace, id) DO UPDATE SET title = excluded.title, revision = excluded.revision

-- name: lift_tombstones
DELETE FROM ricordo.tombstone WHERE namespace = %(namespace)s AND memory_id = ANY(%(ids)s::text[])

-- name: known_memories
-- Locked until the end of the transaction, so that what is read of them stays true; in one order, against deadlocks.
SELECT m.id, m.origin_id, m.version, m.superseded_by, m.created_at FROM ricordo.memory m
WHERE m.namespace = %(namespace)s AND m.id = ANY(%(ids)s::text[])
ORDER BY m.id
FOR NO KEY UPDATE

-- name: add_memories
COPY ricordo.memory (
    namespace, id, origin_id, text, context, grouping, speaker, position,
    created_at, updated_at, event_timestamp, event_end, event_grain, event_origin,
    tags, metadata, supersedes, version
) FROM STDIN

-- name: refresh_memory
-- A re-read origin may say the same text in another place, with other tags, times or metadata.
UPDATE ricordo.memory SET
    grouping = %(grouping)s, speaker = %(speaker)s, position = %(position)s::integer,
    event_timestamp = %(event_timestamp)s, event_end = %(event_end)s, event_grain = %(event_grain)s,
    event_origin = %(event_origin)s, tags = %(tags)s, metadata = %(metadata)s::jsonb, updated_at = %(updated_at)s
WHERE namespace = %(namespace)s AND id = %(id)s AND (
    grouping IS DISTINCT FROM %(grouping)s::text OR speaker IS DISTINCT FROM %(speaker)s::text
    OR position <> %(position)s::integer OR event_timestamp IS DISTINCT FROM %(event_timestamp)s::timestamptz
    OR event_end IS DISTINCT FROM %(event_end)s::timestamptz
    OR event_grain IS DISTINCT FROM %(event_grain)s::text OR event_origin IS DISTINCT FROM %(event_origin)s::text
    OR tags <> %(tags)s::text[] OR metadata <> %(metadata)s::jsonb
)

-- name: mark_superseded
-- As it was elsewhere, with the time at which it was replaced there. What replaced it is here, and locked.
UPDATE ricordo.memory SET
    superseded_by = %(superseded_by)s, updated_at = greatest(updated_at, %(updated_at)s::timestamptz)
WHERE namespace = %(namespace)s AND id = %(id)s AND superseded_by IS NULL

-- name: supersede
UPDATE ricordo.memory SET superseded_by = %(id)s, updated_at = %(updated_at)s
WHERE namespace = %(namespace)s AND id = %(supersedes)s AND superseded_by IS NULL

-- name: mark_chunks
UPDATE ricordo.chunk SET current = %(current)s
WHERE namespace = %(namespace)s AND memory_id = ANY(%(ids)s::text[]) AND current <> %(current)s

-- name: mark_vectors
UPDATE ricordo.embedding SET current = %(current)s
WHERE namespace = %(namespace)s AND memory_id = ANY(%(ids)s::text[]) AND current <> %(current)s

-- name: known_chunks
SELECT c.id, c.memory_id, c.position, c.current FROM ricordo.chunk c
WHERE c.namespace = %(namespace)s AND c.id = ANY(%(ids)s::text[])
ORDER BY c.id
FOR NO KEY UPDATE

-- name: add_chunks
COPY ricordo.chunk (
    namespace, id, memory_id, text, context, position, length, context_length, lexemes, current
) FROM STDIN

-- name: move_chunk
UPDATE ricordo.chunk SET memory_id = %(memory_id)s, position = %(position)s, current = %(current)s
WHERE namespace = %(namespace)s AND id = %(id)s

-- name: move_vectors
UPDATE ricordo.embedding SET memory_id = %(memory_id)s, current = %(current)s
WHERE namespace = %(namespace)s AND chunk_id = %(id)s

-- name: add_embedder
INSERT INTO ricordo.embedder (namespace, id, fingerprint) VALUES (%(namespace)s, %(embedder_id)s, %(fingerprint)s)
ON CONFLICT DO NOTHING

-- name: add_vectors
COPY ricordo.embedding (namespace, chunk_id, embedder_id, memory_id, current, vector) FROM STDIN (FORMAT binary)

-- name: add_tokens
COPY ricordo.token_embedding (namespace, chunk_id, embedder_id, tokens) FROM STDIN (FORMAT binary)

-- name: drop_vectors
DELETE FROM ricordo.embedding
WHERE namespace = %(namespace)s AND embedder_id = %(embedder_id)s AND chunk_id IN (
    SELECT e.chunk_id FROM ricordo.embedding e
    WHERE e.namespace = %(namespace)s AND e.embedder_id = %(embedder_id)s AND e.chunk_id > %(after)s
    ORDER BY e.chunk_id
    LIMIT %(limit)s
) RETURNING chunk_id AS id

-- name: drop_tokens
DELETE FROM ricordo.token_embedding
WHERE namespace = %(namespace)s AND embedder_id = %(embedder_id)s AND chunk_id IN (
    SELECT t.chunk_id FROM ricordo.token_embedding t
    WHERE t.namespace = %(namespace)s AND t.embedder_id = %(embedder_id)s AND t.chunk_id > %(after)s
    ORDER BY t.chunk_id
    LIMIT %(limit)s
) RETURNING chunk_id AS id

-- name: add_counters
COPY ricordo.counter (namespace, name, batch, amount) FROM STDIN

-- name: add_frequencies
COPY ricordo.frequency (namespace, lexeme, batch, chunks) FROM STDIN

-- name: take_counters
-- Rows that another process is folding are left to it.
DELETE FROM ricordo.counter WHERE namespace = %(namespace)s AND (name, batch) IN (
    SELECT c.name, c.batch FROM ricordo.counter c WHERE c.namespace = %(namespace)s FOR UPDATE SKIP LOCKED
) RETURNING name, amount

-- name: take_frequencies
DELETE FROM ricordo.frequency WHERE namespace = %(namespace)s AND (lexeme, batch) IN (
    SELECT f.lexeme, f.batch FROM ricordo.frequency f
    WHERE f.namespace = %(namespace)s AND f.lexeme = ANY(%(lexemes)s::text[]) FOR UPDATE SKIP LOCKED
) RETURNING lexeme, chunks

-- name: crowded_lexemes
SELECT f.lexeme FROM ricordo.frequency f WHERE f.namespace = %(namespace)s
GROUP BY f.lexeme HAVING count(*) > %(most)s OR sum(f.chunks) = 0

-- name: memories_of_origin
SELECT m.id FROM ricordo.memory m WHERE m.namespace = %(namespace)s AND m.origin_id = %(origin_id)s

-- name: versions
-- Every version of the memories given: what they replaced and what replaced them.
WITH RECURSIVE version (id) AS (
    SELECT m.id FROM ricordo.memory m WHERE m.namespace = %(namespace)s AND m.id = ANY(%(ids)s::text[])
    UNION
    SELECT linked.id FROM version v
    JOIN ricordo.memory m ON m.namespace = %(namespace)s AND m.id = v.id
    CROSS JOIN LATERAL (
        SELECT o.id FROM ricordo.memory o
        WHERE o.namespace = %(namespace)s AND o.id IN (m.supersedes, m.superseded_by)
        UNION ALL
        SELECT o.id FROM ricordo.memory o WHERE o.namespace = %(namespace)s AND o.supersedes = m.id
        UNION ALL
        SELECT o.id FROM ricordo.memory o WHERE o.namespace = %(namespace)s AND o.superseded_by = m.id
    ) linked
)
SELECT id FROM version

-- name: lock_chunks
-- Whoever adds vectors of a chunk holds it locked: what is removed and counted next must be all that there is.
SELECT c.id FROM ricordo.chunk c
WHERE c.namespace = %(namespace)s AND c.memory_id = ANY(%(ids)s::text[])
ORDER BY c.id
FOR UPDATE

-- name: remove_vectors
DELETE FROM ricordo.embedding WHERE namespace = %(namespace)s AND memory_id = ANY(%(ids)s::text[])
RETURNING embedder_id

-- name: remove_chunks
DELETE FROM ricordo.chunk WHERE namespace = %(namespace)s AND memory_id = ANY(%(ids)s::text[])
RETURNING length, context_length, tsvector_to_array(lexemes) AS lexemes

-- name: remove_memories
DELETE FROM ricordo.memory WHERE namespace = %(namespace)s AND id = ANY(%(ids)s::text[])
RETURNING origin_id

-- name: remove_empty_origins
DELETE FROM ricordo.origin WHERE namespace = %(namespace)s AND id = ANY(%(ids)s::text[]) AND NOT EXISTS (
    SELECT 1 FROM ricordo.memory m WHERE m.namespace = %(namespace)s AND m.origin_id = origin.id
)

-- name: unlink_versions
-- What a removed memory had replaced is current again; what had replaced it stands alone.
UPDATE ricordo.memory SET superseded_by = NULL
WHERE namespace = %(namespace)s AND superseded_by = ANY(%(ids)s::text[])
RETURNING id

-- name: add_tombstone
INSERT INTO ricordo.tombstone (namespace, memory_id, forgotten_at)
VALUES (%(namespace)s, %(id)s, %(forgotten_at)s)
ON CONFLICT DO NOTHING

-- name: statistics
-- All counters, and how many chunks hold each of the lexemes.
SELECT c.name, NULL AS lexeme, sum(c.amount)::bigint AS amount FROM ricordo.counter c
WHERE c.namespace = %(namespace)s GROUP BY c.name
UNION ALL
SELECT NULL, f.lexeme, sum(f.chunks)::bigint FROM ricordo.frequency f
WHERE f.namespace = %(namespace)s AND f.lexeme = ANY(%(lexemes)s::text[]) GROUP BY f.lexeme

-- name: counter
SELECT coalesce(sum(c.amount), 0)::bigint AS amount FROM ricordo.counter c
WHERE c.namespace = %(namespace)s AND c.name = %(name)s

-- name: word_matches
-- Candidates in nearly the order of BM25. Of one lexeme that a text holds tf times, ts_rank makes
-- x = (1 + 1/4 + … + 1/tf²) / (π²/6), so that tf is nearly 0.645 · x / (1 - x), and BM25's tf / (tf + k) is
-- 1 / (1 + k / 0.645 · (1 / x - 1)). The weight of B makes a lexeme of the context count 0.3. The last band holds all
-- lexemes that have none of their own.
WITH candidate AS MATERIALIZED (
    SELECT c.id, c.length, c.context_length, c.lexemes
    FROM ricordo.chunk c
    WHERE c.namespace = %(namespace)s AND c.lexemes @@ %(any)s::tsquery AND (%(superseded)s OR c.current)
    ORDER BY (
        CASE WHEN %(idf_1)s::float8 = 0 THEN 0 ELSE %(idf_1)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_1)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_2)s::float8 = 0 THEN 0 ELSE %(idf_2)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_2)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_3)s::float8 = 0 THEN 0 ELSE %(idf_3)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_3)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_4)s::float8 = 0 THEN 0 ELSE %(idf_4)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_4)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_5)s::float8 = 0 THEN 0 ELSE %(idf_5)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_5)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_6)s::float8 = 0 THEN 0 ELSE %(idf_6)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_6)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_7)s::float8 = 0 THEN 0 ELSE %(idf_7)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_7)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_8)s::float8 = 0 THEN 0 ELSE %(idf_8)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_8)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_9)s::float8 = 0 THEN 0 ELSE %(idf_9)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_9)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_10)s::float8 = 0 THEN 0 ELSE %(idf_10)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_10)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_11)s::float8 = 0 THEN 0 ELSE %(idf_11)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_11)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_12)s::float8 = 0 THEN 0 ELSE %(idf_12)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_12)s::tsquery), 1e-9) - 1)) END
    ) DESC, c.id
    LIMIT %(limit)s
)
SELECT c.id AS chunk_id, c.length, c.context_length, c.lexemes::text AS lexemes FROM candidate c

-- name: filtered_word_matches
-- The filter is a subquery of each chunk that holds a term, of which there are few; memories that pass may be many.
WITH candidate AS MATERIALIZED (
    SELECT c.id, c.length, c.context_length, c.lexemes
    FROM ricordo.chunk c
    WHERE c.namespace = %(namespace)s AND c.lexemes @@ %(any)s::tsquery AND (
        SELECT
            (%(superseded)s OR m.superseded_by IS NULL)
            AND (%(start)s::timestamptz IS NULL OR (
                coalesce(m.event_end, m.event_timestamp) >= %(start)s::timestamptz
                AND (m.event_end IS NULL OR m.event_end > %(start)s::timestamptz)
            ))
            AND (%(end)s::timestamptz IS NULL OR m.event_timestamp < %(end)s::timestamptz)
            AND (NOT %(undated)s OR m.event_timestamp IS NULL)
            AND (%(true_at)s::timestamptz IS NULL OR (coalesce(
                m.event_timestamp,
                (SELECT p.updated_at FROM ricordo.memory p WHERE p.namespace = %(namespace)s AND p.id = m.supersedes),
                %(true_at)s::timestamptz
            ) <= %(true_at)s::timestamptz AND NOT EXISTS (
                SELECT 1 FROM ricordo.memory n
                WHERE n.namespace = %(namespace)s AND n.id = m.superseded_by
                    AND coalesce(n.event_timestamp, m.updated_at) <= %(true_at)s::timestamptz
            )))
            AND (%(known_at)s::timestamptz IS NULL OR (coalesce(
                (SELECT p.updated_at FROM ricordo.memory p WHERE p.namespace = %(namespace)s AND p.id = m.supersedes),
                m.created_at
            ) <= %(known_at)s::timestamptz AND (m.superseded_by IS NULL OR m.updated_at > %(known_at)s::timestamptz)))
            AND (%(tags)s::text[] = '{}' OR m.tags @> %(tags)s::text[])
            AND (%(metadata)s::jsonb = '{}' OR (m.metadata @> %(metadata)s::jsonb AND NOT EXISTS (
                SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) wanted
                WHERE m.metadata -> wanted.key IS DISTINCT FROM wanted.value
            )))
            AND (%(origin)s::text IS NULL OR EXISTS (
                SELECT 1 FROM ricordo.origin o
                WHERE o.namespace = %(namespace)s AND o.id = m.origin_id AND starts_with(o.uri, %(origin)s::text)
            ))
            AND (%(kinds)s::text[] = '{}' OR EXISTS (
                SELECT 1 FROM ricordo.origin o
                WHERE o.namespace = %(namespace)s AND o.id = m.origin_id AND o.kind = ANY(%(kinds)s::text[])
            ))
        FROM ricordo.memory m
        WHERE m.namespace = %(namespace)s AND m.id = c.memory_id
    )
    ORDER BY (
        CASE WHEN %(idf_1)s::float8 = 0 THEN 0 ELSE %(idf_1)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_1)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_2)s::float8 = 0 THEN 0 ELSE %(idf_2)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_2)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_3)s::float8 = 0 THEN 0 ELSE %(idf_3)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_3)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_4)s::float8 = 0 THEN 0 ELSE %(idf_4)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_4)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_5)s::float8 = 0 THEN 0 ELSE %(idf_5)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_5)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_6)s::float8 = 0 THEN 0 ELSE %(idf_6)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_6)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_7)s::float8 = 0 THEN 0 ELSE %(idf_7)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_7)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_8)s::float8 = 0 THEN 0 ELSE %(idf_8)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_8)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_9)s::float8 = 0 THEN 0 ELSE %(idf_9)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_9)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_10)s::float8 = 0 THEN 0 ELSE %(idf_10)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_10)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_11)s::float8 = 0 THEN 0 ELSE %(idf_11)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_11)s::tsquery), 1e-9) - 1)) END +
        CASE WHEN %(idf_12)s::float8 = 0 THEN 0 ELSE %(idf_12)s::float8 / (1 + (
            %(slowly)s::float8 + %(slope)s::float8 * c.length
        ) * (1 / greatest(ts_rank('{0, 0, 0.52, 1}', c.lexemes, %(band_12)s::tsquery), 1e-9) - 1)) END
    ) DESC, c.id
    LIMIT %(limit)s
)
SELECT c.id AS chunk_id, c.length, c.context_length, c.lexemes::text AS lexemes FROM candidate c

-- name: nearest
-- Exact: the cast to `vector` is one that no index serves. Scores closer than a millionth are ties.
SELECT found.chunk_id AS id FROM (
    SELECT e.chunk_id, -(e.vector::vector <#> %(vector)s) AS score
    FROM ricordo.embedding e
    WHERE e.namespace = %(namespace)s AND e.embedder_id = %(embedder_id)s AND (%(superseded)s OR e.current)
    OFFSET 0
) found
WHERE found.score >= %(floor)s
ORDER BY round(found.score * 1e6) DESC, found.chunk_id
LIMIT %(limit)s

-- name: filtered_nearest
-- Where as many memories pass as the bound says, nothing is compared, and the only row says so. The array is looked
-- up in one walk through the index, in its order.
WITH passed AS MATERIALIZED (
    SELECT m.id
    FROM ricordo.memory m
    WHERE m.namespace = %(namespace)s
        AND (%(superseded)s OR m.superseded_by IS NULL)
        AND (%(start)s::timestamptz IS NULL OR (
            coalesce(m.event_end, m.event_timestamp) >= %(start)s::timestamptz
            AND (m.event_end IS NULL OR m.event_end > %(start)s::timestamptz)
        ))
        AND (%(end)s::timestamptz IS NULL OR m.event_timestamp < %(end)s::timestamptz)
        AND (NOT %(undated)s OR m.event_timestamp IS NULL)
        AND (%(true_at)s::timestamptz IS NULL OR (coalesce(
            m.event_timestamp,
            (SELECT p.updated_at FROM ricordo.memory p WHERE p.namespace = %(namespace)s AND p.id = m.supersedes),
            %(true_at)s::timestamptz
        ) <= %(true_at)s::timestamptz AND NOT EXISTS (
            SELECT 1 FROM ricordo.memory n
            WHERE n.namespace = %(namespace)s AND n.id = m.superseded_by
                AND coalesce(n.event_timestamp, m.updated_at) <= %(true_at)s::timestamptz
        )))
        AND (%(known_at)s::timestamptz IS NULL OR (coalesce(
            (SELECT p.updated_at FROM ricordo.memory p WHERE p.namespace = %(namespace)s AND p.id = m.supersedes),
            m.created_at
        ) <= %(known_at)s::timestamptz AND (m.superseded_by IS NULL OR m.updated_at > %(known_at)s::timestamptz)))
        AND (%(tags)s::text[] = '{}' OR m.tags @> %(tags)s::text[])
        AND (%(metadata)s::jsonb = '{}' OR (m.metadata @> %(metadata)s::jsonb AND NOT EXISTS (
            SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) wanted
            WHERE m.metadata -> wanted.key IS DISTINCT FROM wanted.value
        )))
        AND (%(origin)s::text IS NULL OR EXISTS (
            SELECT 1 FROM ricordo.origin o
            WHERE o.namespace = %(namespace)s AND o.id = m.origin_id AND starts_with(o.uri, %(origin)s::text)
        ))
        AND (%(kinds)s::text[] = '{}' OR EXISTS (
            SELECT 1 FROM ricordo.origin o
            WHERE o.namespace = %(namespace)s AND o.id = m.origin_id AND o.kind = ANY(%(kinds)s::text[])
        ))
    LIMIT %(bound)s
), counted AS MATERIALIZED (
    SELECT count(*) >= %(bound)s AS many FROM passed
), found AS MATERIALIZED (
    SELECT e.chunk_id, -(e.vector::vector <#> %(vector)s) AS score
    FROM ricordo.embedding e
    WHERE e.namespace = %(namespace)s AND e.embedder_id = %(embedder_id)s AND e.memory_id = ANY(ARRAY(
        SELECT passed.id FROM passed WHERE NOT (SELECT many FROM counted)
    ))
), nearest AS MATERIALIZED (
    SELECT found.chunk_id AS id FROM found
    WHERE found.score >= %(floor)s
    ORDER BY round(found.score * 1e6) DESC, found.chunk_id
    LIMIT %(limit)s
)
SELECT id FROM nearest
UNION ALL
SELECT NULL FROM counted WHERE many

-- name: search_by_index
SET LOCAL hnsw.iterative_scan = 'relaxed_order';
SET LOCAL hnsw.ef_search = 100;
SET LOCAL hnsw.max_scan_tuples = 40000;
SET LOCAL enable_sort = off

-- name: indexed_nearest
-- By the HNSW index: sorting is off, and nothing else gives this order.
WITH near AS MATERIALIZED (
    SELECT e.chunk_id, -(e.vector::vector <#> %(vector)s) AS score
    FROM ricordo.embedding e
    WHERE e.namespace = %(namespace)s AND e.embedder_id = %(embedder_id)s AND (%(superseded)s OR e.current)
    ORDER BY e.vector::halfvec({dimension}) <#> %(vector)s::halfvec({dimension})
    LIMIT %(limit)s
)
SELECT near.chunk_id AS id, near.score >= %(floor)s AS above FROM near
ORDER BY round(near.score * 1e6) DESC, near.chunk_id

-- name: indexed_filtered_nearest
-- The filter is a subquery of each row that the index gives: as a join it would invite another order.
WITH near AS MATERIALIZED (
    SELECT e.chunk_id, -(e.vector::vector <#> %(vector)s) AS score
    FROM ricordo.embedding e
    WHERE e.namespace = %(namespace)s AND e.embedder_id = %(embedder_id)s AND (
        SELECT
            (%(superseded)s OR m.superseded_by IS NULL)
            AND (%(start)s::timestamptz IS NULL OR (
                coalesce(m.event_end, m.event_timestamp) >= %(start)s::timestamptz
                AND (m.event_end IS NULL OR m.event_end > %(start)s::timestamptz)
            ))
            AND (%(end)s::timestamptz IS NULL OR m.event_timestamp < %(end)s::timestamptz)
            AND (NOT %(undated)s OR m.event_timestamp IS NULL)
            AND (%(true_at)s::timestamptz IS NULL OR (coalesce(
                m.event_timestamp,
                (SELECT p.updated_at FROM ricordo.memory p WHERE p.namespace = %(namespace)s AND p.id = m.supersedes),
                %(true_at)s::timestamptz
            ) <= %(true_at)s::timestamptz AND NOT EXISTS (
                SELECT 1 FROM ricordo.memory n
                WHERE n.namespace = %(namespace)s AND n.id = m.superseded_by
                    AND coalesce(n.event_timestamp, m.updated_at) <= %(true_at)s::timestamptz
            )))
            AND (%(known_at)s::timestamptz IS NULL OR (coalesce(
                (SELECT p.updated_at FROM ricordo.memory p WHERE p.namespace = %(namespace)s AND p.id = m.supersedes),
                m.created_at
            ) <= %(known_at)s::timestamptz AND (m.superseded_by IS NULL OR m.updated_at > %(known_at)s::timestamptz)))
            AND (%(tags)s::text[] = '{{}}' OR m.tags @> %(tags)s::text[])
            AND (%(metadata)s::jsonb = '{{}}' OR (m.metadata @> %(metadata)s::jsonb AND NOT EXISTS (
                SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) wanted
                WHERE m.metadata -> wanted.key IS DISTINCT FROM wanted.value
            )))
            AND (%(origin)s::text IS NULL OR EXISTS (
                SELECT 1 FROM ricordo.origin o
                WHERE o.namespace = %(namespace)s AND o.id = m.origin_id AND starts_with(o.uri, %(origin)s::text)
            ))
            AND (%(kinds)s::text[] = '{{}}' OR EXISTS (
                SELECT 1 FROM ricordo.origin o
                WHERE o.namespace = %(namespace)s AND o.id = m.origin_id AND o.kind = ANY(%(kinds)s::text[])
            ))
        FROM ricordo.memory m
        WHERE m.namespace = %(namespace)s AND m.id = e.memory_id
    )
    ORDER BY e.vector::halfvec({dimension}) <#> %(vector)s::halfvec({dimension})
    LIMIT %(limit)s
)
SELECT near.chunk_id AS id, near.score >= %(floor)s AS above FROM near
ORDER BY round(near.score * 1e6) DESC, near.chunk_id

-- name: has_index
SELECT 1 FROM pg_index i
WHERE i.indexrelid = to_regclass('ricordo.' || quote_ident(%(name)s)) AND i.indisvalid

-- name: try_index_lock
SELECT pg_try_advisory_xact_lock(1919182703, 2) AS taken

-- name: make_index
CREATE INDEX IF NOT EXISTS {name} ON ricordo.embedding
USING hnsw ((vector::halfvec({dimension})) halfvec_ip_ops) WHERE embedder_id = {embedder_id}

-- name: drop_index
DROP INDEX IF EXISTS ricordo.{name}

-- name: chunks
SELECT
    c.id AS chunk_id, c.memory_id, c.text AS chunk_text, c.context AS chunk_context, c.position AS chunk_position,
    m.*, o.uri, o.kind, o.title
FROM ricordo.chunk c
JOIN ricordo.memory m ON m.namespace = %(namespace)s AND m.id = c.memory_id
JOIN ricordo.origin o ON o.namespace = %(namespace)s AND o.id = m.origin_id
WHERE c.namespace = %(namespace)s AND c.id = ANY(%(ids)s::text[])

-- name: candidates
-- The chunks and those up to `reach` places from each: in its memory, and in the memories of its group.
WITH wanted AS MATERIALIZED (
    SELECT c.id, c.memory_id, c.position FROM ricordo.chunk c
    WHERE c.namespace = %(namespace)s AND c.id = ANY(%(ids)s::text[])
), near AS MATERIALIZED (
    SELECT w.id FROM wanted w
    UNION
    SELECT c.id FROM wanted w
    JOIN ricordo.chunk c ON c.namespace = %(namespace)s AND c.memory_id = w.memory_id
        AND c.position BETWEEN w.position - %(reach)s AND w.position + %(reach)s
    WHERE %(reach)s > 0
    UNION
    SELECT c.id FROM wanted w
    JOIN ricordo.memory m ON m.namespace = %(namespace)s AND m.id = w.memory_id
    JOIN ricordo.memory n ON n.namespace = %(namespace)s AND n.origin_id = m.origin_id
        AND n.position BETWEEN m.position - %(reach)s AND m.position + %(reach)s AND n.grouping = m.grouping
    JOIN ricordo.chunk c ON c.namespace = %(namespace)s AND c.memory_id = n.id
    WHERE %(reach)s > 0
)
SELECT
    c.id AS chunk_id, c.memory_id, c.text AS chunk_text, c.context AS chunk_context, c.position AS chunk_position,
    c.length, c.context_length, c.lexemes::text AS lexemes, m.grouping, m.speaker, m.position, o.uri, e.vector, t.tokens
FROM near
JOIN ricordo.chunk c ON c.namespace = %(namespace)s AND c.id = near.id
JOIN ricordo.memory m ON m.namespace = %(namespace)s AND m.id = c.memory_id
JOIN ricordo.origin o ON o.namespace = %(namespace)s AND o.id = m.origin_id
LEFT JOIN ricordo.embedding e
    ON e.namespace = %(namespace)s AND e.chunk_id = c.id AND e.embedder_id = %(embedder_id)s
LEFT JOIN ricordo.token_embedding t
    ON t.namespace = %(namespace)s AND t.chunk_id = c.id AND t.embedder_id = %(token_embedder_id)s

-- name: timeline
SELECT latest.* FROM (
    SELECT m.*, o.uri, o.kind, o.title
    FROM ricordo.memory m
    JOIN ricordo.origin o ON o.namespace = %(namespace)s AND o.id = m.origin_id
    WHERE m.namespace = %(namespace)s AND m.event_timestamp IS NOT NULL
        AND (%(superseded)s OR m.superseded_by IS NULL)
        AND (%(start)s::timestamptz IS NULL OR (
            coalesce(m.event_end, m.event_timestamp) >= %(start)s::timestamptz
            AND (m.event_end IS NULL OR m.event_end > %(start)s::timestamptz)
        ))
        AND (%(end)s::timestamptz IS NULL OR m.event_timestamp < %(end)s::timestamptz)
        AND (NOT %(undated)s OR m.event_timestamp IS NULL)
        AND (%(true_at)s::timestamptz IS NULL OR (coalesce(
            m.event_timestamp,
            (SELECT p.updated_at FROM ricordo.memory p WHERE p.namespace = %(namespace)s AND p.id = m.supersedes),
            %(true_at)s::timestamptz
        ) <= %(true_at)s::timestamptz AND NOT EXISTS (
            SELECT 1 FROM ricordo.memory n
            WHERE n.namespace = %(namespace)s AND n.id = m.superseded_by
                AND coalesce(n.event_timestamp, m.updated_at) <= %(true_at)s::timestamptz
        )))
        AND (%(known_at)s::timestamptz IS NULL OR (coalesce(
            (SELECT p.updated_at FROM ricordo.memory p WHERE p.namespace = %(namespace)s AND p.id = m.supersedes),
            m.created_at
        ) <= %(known_at)s::timestamptz AND (m.superseded_by IS NULL OR m.updated_at > %(known_at)s::timestamptz)))
        AND (%(tags)s::text[] = '{}' OR m.tags @> %(tags)s::text[])
        AND (%(metadata)s::jsonb = '{}' OR (m.metadata @> %(metadata)s::jsonb AND NOT EXISTS (
            SELECT 1 FROM jsonb_each(%(metadata)s::jsonb) wanted
            WHERE m.metadata -> wanted.key IS DISTINCT FROM wanted.value
        )))
        AND (%(origin)s::text IS NULL OR EXISTS (
            SELECT 1 FROM ricordo.origin o
            WHERE o.namespace = %(namespace)s AND o.id = m.origin_id AND starts_with(o.uri, %(origin)s::text)
        ))
        AND (%(kinds)s::text[] = '{}' OR EXISTS (
            SELECT 1 FROM ricordo.origin o
            WHERE o.namespace = %(namespace)s AND o.id = m.origin_id AND o.kind = ANY(%(kinds)s::text[])
        ))
    ORDER BY m.event_timestamp DESC, m.id DESC
    LIMIT %(limit)s
) latest
ORDER BY latest.event_timestamp, latest.id

-- name: memories
SELECT m.*, o.uri, o.kind, o.title
FROM ricordo.memory m
JOIN ricordo.origin o ON o.namespace = %(namespace)s AND o.id = m.origin_id
WHERE m.namespace = %(namespace)s AND m.id = ANY(%(ids)s::text[])
ORDER BY m.version, m.id

-- name: memories_by_prefix
SELECT m.*, o.uri, o.kind, o.title
FROM ricordo.memory m
JOIN ricordo.origin o ON o.namespace = %(namespace)s AND o.id = m.origin_id
WHERE m.namespace = %(namespace)s AND m.id BETWEEN %(prefix)s AND %(last)s
LIMIT 2

-- name: entries
SELECT
    c.id AS chunk_id, c.memory_id, c.text AS chunk_text, c.context AS chunk_context, c.position AS chunk_position,
    m.grouping, m.speaker, o.uri, e.vector, t.tokens, held.lexemes, held.counts, held.context_counts
FROM ricordo.chunk c
JOIN ricordo.memory m ON m.namespace = %(namespace)s AND m.id = c.memory_id
JOIN ricordo.origin o ON o.namespace = %(namespace)s AND o.id = m.origin_id
LEFT JOIN ricordo.embedding e
    ON e.namespace = %(namespace)s AND e.chunk_id = c.id AND e.embedder_id = %(embedder_id)s
LEFT JOIN ricordo.token_embedding t
    ON t.namespace = %(namespace)s AND t.chunk_id = c.id AND t.embedder_id = %(embedder_id)s
CROSS JOIN LATERAL (
    SELECT
        array_agg(x.lexeme) AS lexemes,
        array_agg(cardinality(array_positions(x.weights, 'A'))) AS counts,
        array_agg(cardinality(array_positions(x.weights, 'B'))) AS context_counts
    FROM unnest(c.lexemes) x
) held
WHERE c.namespace = %(namespace)s AND c.memory_id = ANY(%(ids)s::text[])

-- name: dump_memories
SELECT m.*, o.uri, o.kind, o.title
FROM ricordo.memory m
JOIN ricordo.origin o ON o.namespace = %(namespace)s AND o.id = m.origin_id
WHERE m.namespace = %(namespace)s AND m.version = %(version)s AND m.id > %(after)s
ORDER BY m.id
LIMIT %(limit)s

-- name: last_version
SELECT coalesce(max(m.version), 0) AS version FROM ricordo.memory m
WHERE m.namespace = %(namespace)s AND m.version > 0

-- name: dump_tombstones
SELECT t.memory_id, t.forgotten_at FROM ricordo.tombstone t
WHERE t.namespace = %(namespace)s AND t.memory_id > %(after)s
ORDER BY t.memory_id
LIMIT %(limit)s

-- name: survey_origins
-- What was told has an origin each; together they are one.
SELECT
    CASE o.kind WHEN %(told)s::text THEN %(told)s::text ELSE o.uri END COLLATE "C" AS uri, min(o.kind) AS kind,
    CASE min(o.kind) WHEN %(told)s::text THEN NULL ELSE min(o.title) END AS title,
    count(*) AS memories, min(m.created_at) AS first, max(m.updated_at) AS last,
    bool_or(o.revision IS NOT NULL) AS is_read
FROM ricordo.memory m
JOIN ricordo.origin o ON o.namespace = %(namespace)s AND o.id = m.origin_id
WHERE m.namespace = %(namespace)s
GROUP BY 1
ORDER BY 1;

-- name: survey_counts
SELECT
    count(*) FILTER (WHERE superseded_by IS NULL) AS current,
    count(*) FILTER (WHERE superseded_by IS NOT NULL) AS superseded,
    count(*) FILTER (WHERE superseded_by IS NULL AND event_timestamp IS NULL) AS undated
FROM ricordo.memory WHERE namespace = %(namespace)s;

-- name: survey_events
SELECT date_bin(%(quarter)s::interval, event_timestamp, '1970-01-01 00:00+00') AS start, count(*) AS memories
FROM ricordo.memory
WHERE namespace = %(namespace)s AND event_timestamp IS NOT NULL AND superseded_by IS NULL
GROUP BY 1 ORDER BY 1;

-- name: survey_learned
SELECT date_bin(%(quarter)s::interval, created_at, '1970-01-01 00:00+00') AS start, count(*) AS memories
FROM ricordo.memory
WHERE namespace = %(namespace)s AND superseded_by IS NULL
GROUP BY 1 ORDER BY 1;

-- name: survey_tags
SELECT t.tag COLLATE "C" AS tag, count(*) AS memories
FROM ricordo.memory m CROSS JOIN LATERAL unnest(m.tags) AS t (tag)
WHERE m.namespace = %(namespace)s AND m.superseded_by IS NULL
GROUP BY 1 ORDER BY 1;

-- name: enqueue
INSERT INTO ricordo.queue (namespace, id, item) VALUES (%(namespace)s, %(id)s, %(item)s) ON CONFLICT DO NOTHING

-- name: hold
UPDATE ricordo.queue SET claimed_until = %(until)s
WHERE namespace = %(namespace)s AND claimant = %(claimant)s
RETURNING item

-- name: claim
-- Rows that another process is claiming are left to it. As an array, they are looked for once.
UPDATE ricordo.queue SET claimant = %(claimant)s, claimed_until = %(until)s
WHERE namespace = %(namespace)s AND id = ANY(ARRAY(
    SELECT q.id FROM ricordo.queue q
    WHERE q.namespace = %(namespace)s AND (q.claimed_until IS NULL OR q.claimed_until <= %(now)s)
    ORDER BY q.id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)) RETURNING item

-- name: settle
DELETE FROM ricordo.queue
WHERE namespace = %(namespace)s AND claimant = %(claimant)s AND id = ANY(%(ids)s::text[])

-- name: count_queue
SELECT count(*) AS items FROM ricordo.queue q WHERE q.namespace = %(namespace)s
