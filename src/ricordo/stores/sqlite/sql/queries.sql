-- name: namespace_key
SELECT key FROM namespace WHERE name = :namespace;

-- name: add_namespace
INSERT INTO namespace (name) VALUES (:namespace) ON CONFLICT DO NOTHING;

-- name: reading
-- What is known of an origin since its last whole reading. CROSS JOIN keeps SQLite from beginning with all chunks.
SELECT
    o.revision,
    (SELECT count(*) FROM memory m WHERE m.namespace = o.namespace AND m.origin_uri = o.uri) AS memories,
    (
        SELECT count(*) FROM memory m
        CROSS JOIN chunk c ON c.namespace = m.namespace AND c.memory_id = m.id
        WHERE m.namespace = o.namespace AND m.origin_uri = o.uri
    ) AS chunks
FROM origin o
WHERE o.namespace = :namespace AND o.uri = :uri AND o.revision IS NOT NULL;

-- name: tombstones
SELECT t.memory_id FROM json_each(:ids) i
CROSS JOIN tombstone t ON t.namespace = :namespace AND t.memory_id = i.value;

-- name: missing_vectors
SELECT i.value FROM json_each(:ids) i
WHERE NOT EXISTS (
    SELECT 1 FROM chunk c
    JOIN embedding v ON v.chunk = c.key
    JOIN embedder e ON e.key = v.embedder
    WHERE c.namespace = :namespace AND c.id = i.value AND e.fingerprint = :fingerprint
) AND NOT EXISTS (
    SELECT 1 FROM chunk c
    JOIN token_embedding v ON v.chunk = c.key
    JOIN embedder e ON e.key = v.embedder
    WHERE c.namespace = :namespace AND c.id = i.value AND e.fingerprint = :fingerprint
);

-- name: unread_chunks
SELECT c.id FROM chunk c
WHERE c.namespace = :namespace AND (
    NOT EXISTS (
        SELECT 1 FROM embedding v
        WHERE v.chunk = c.key AND v.embedder = (SELECT key FROM embedder WHERE fingerprint = :fingerprint)
    ) OR (:token_fingerprint IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM token_embedding v
        WHERE v.chunk = c.key AND v.embedder = (SELECT key FROM embedder WHERE fingerprint = :token_fingerprint)
    ))
)
ORDER BY c.id;

-- name: add_origin
INSERT INTO origin (namespace, uri, kind, title) VALUES (:namespace, :uri, :kind, :title)
ON CONFLICT (namespace, uri) DO UPDATE SET title = excluded.title WHERE title IS NOT excluded.title;

-- name: close_reading
INSERT INTO origin (namespace, uri, kind, title, revision) VALUES (:namespace, :uri, :kind, :title, :revision)
ON CONFLICT (namespace, uri) DO UPDATE SET title = excluded.title, revision = excluded.revision;

-- name: add_memory
INSERT INTO memory (
    namespace, id, origin_uri, text, context, grouping, speaker, position,
    created_at, updated_at, event_timestamp, event_end, event_grain, event_origin,
    tags, metadata, supersedes
) VALUES (
    :namespace, :id, :origin_uri, :text, :context, :grouping, :speaker, :position,
    :created_at, :updated_at, :event_timestamp, :event_end, :event_grain, :event_origin,
    :tags, :metadata, :supersedes
) ON CONFLICT (namespace, id) DO NOTHING;

-- name: refresh_memory
-- A re-read origin may say the same text in another place, with other tags, times or metadata.
UPDATE memory SET
    grouping = :grouping, speaker = :speaker, position = :position, event_timestamp = :event_timestamp,
    event_end = :event_end, event_grain = :event_grain, event_origin = :event_origin,
    tags = :tags, metadata = :metadata, updated_at = :updated_at
WHERE namespace = :namespace AND id = :id AND (
    grouping IS NOT :grouping OR speaker IS NOT :speaker OR position IS NOT :position
    OR event_timestamp IS NOT :event_timestamp OR event_end IS NOT :event_end
    OR event_grain IS NOT :event_grain OR event_origin IS NOT :event_origin OR tags IS NOT :tags OR metadata IS NOT :metadata
);

-- name: mark_superseded
-- As it was elsewhere, with the time at which it was replaced there; only by what is here, or nothing would show it.
UPDATE memory SET superseded_by = :superseded_by, updated_at = max(updated_at, :updated_at)
WHERE namespace = :namespace AND id = :id AND superseded_by IS NULL AND EXISTS (
    SELECT 1 FROM memory n WHERE n.namespace = :namespace AND n.id = :superseded_by
);

-- name: supersede
UPDATE memory SET superseded_by = :id, updated_at = :updated_at
WHERE namespace = :namespace AND id = :supersedes AND superseded_by IS NULL;

-- name: successor
SELECT superseded_by FROM memory WHERE namespace = :namespace AND id = :id;

-- name: add_chunk
-- A memory that another origin said meanwhile has its chunks already.
INSERT INTO chunk (
    namespace, id, memory_id, text, context, position, length, context_length, lexemes, context_lexemes
) SELECT :namespace, :id, :memory_id, :text, :context, :position, :length, :context_length, :lexemes, :context_lexemes
FROM memory m
WHERE m.namespace = :namespace AND m.id = :memory_id AND m.origin_uri = :origin_uri
ON CONFLICT (namespace, id) DO NOTHING;

-- name: move_chunk
UPDATE chunk SET memory_id = :memory_id, position = :position
WHERE namespace = :namespace AND id = :id AND (memory_id <> :memory_id OR position <> :position);

-- name: add_embedder
INSERT INTO embedder (fingerprint) VALUES (:fingerprint) ON CONFLICT DO NOTHING;

-- name: add_tokens
INSERT INTO token_embedding (chunk, embedder, tokens)
SELECT c.key, e.key, :tokens
FROM embedder e JOIN chunk c ON c.namespace = :namespace AND c.id = :id
WHERE e.fingerprint = :fingerprint
ON CONFLICT (chunk, embedder) DO NOTHING;

-- name: add_vector
INSERT INTO embedding (namespace, embedder, chunk, vector)
SELECT :namespace, e.key, c.key, :vector
FROM embedder e JOIN chunk c ON c.namespace = :namespace AND c.id = :id
WHERE e.fingerprint = :fingerprint
ON CONFLICT (chunk, embedder) DO NOTHING;

-- name: drop_vectors
DELETE FROM embedding
WHERE namespace = :namespace AND embedder = (SELECT key FROM embedder WHERE fingerprint = :fingerprint);

-- name: drop_tokens
DELETE FROM token_embedding
WHERE embedder = (SELECT key FROM embedder WHERE fingerprint = :fingerprint)
    AND chunk IN (SELECT key FROM chunk WHERE namespace = :namespace);

-- name: memories_of_origin
SELECT id FROM memory WHERE namespace = :namespace AND origin_uri = :uri;

-- name: versions
-- Every version of the memories given: what they replaced and what replaced them.
WITH RECURSIVE version (id) AS (
    SELECT m.id FROM json_each(:ids) i CROSS JOIN memory m ON m.namespace = :namespace AND m.id = i.value
    UNION
    SELECT m.id FROM version v
    CROSS JOIN memory m ON m.namespace = :namespace AND m.supersedes = v.id AND m.supersedes IS NOT NULL
    UNION
    SELECT m.id FROM version v
    CROSS JOIN memory m ON m.namespace = :namespace AND m.superseded_by = v.id AND m.superseded_by IS NOT NULL
    UNION
    SELECT o.id FROM version v
    CROSS JOIN memory m ON m.namespace = :namespace AND m.id = v.id
    CROSS JOIN memory o ON o.namespace = :namespace AND o.id IN (m.supersedes, m.superseded_by)
)
SELECT id FROM version;

-- name: remove_memory
DELETE FROM memory WHERE namespace = :namespace AND id = :id;

-- name: unlink_versions
-- What a removed memory had replaced is current again; what had replaced it stands alone.
UPDATE memory SET superseded_by = NULL
WHERE namespace = :namespace AND superseded_by IS NOT NULL AND superseded_by = :id;

-- name: add_tombstone
INSERT INTO tombstone (namespace, memory_id, forgotten_at) VALUES (:namespace, :id, :forgotten_at)
ON CONFLICT DO NOTHING;

-- name: learned
SELECT m.id, m.created_at FROM json_each(:ids) i
CROSS JOIN memory m ON m.namespace = :namespace AND m.id = i.value;

-- name: lift_tombstone
DELETE FROM tombstone WHERE namespace = :namespace AND memory_id = :id;

-- name: namespace_statistics
SELECT chunks, lexemes, contexts, context_lexemes FROM namespace WHERE key = :namespace;

-- name: document_frequencies
SELECT t.value AS term, coalesce(v.doc, 0) AS frequency
FROM json_each(:terms) t
LEFT JOIN lexeme_vocabulary v ON v.term = :namespace || ':' || t.value;

-- name: word_matches
-- CROSS JOIN, here and below, keeps the order of the tables: without statistics SQLite may take a whole namespace
-- for the short side. The first test of tags is a hint that most rows fail cheaply, the second is exact.
SELECT c.id AS chunk_id, c.length, c.lexemes, c.context_length, c.context_lexemes
FROM lexeme_index x
CROSS JOIN chunk c ON c.key = x.rowid
CROSS JOIN memory m ON m.namespace = c.namespace AND m.id = c.memory_id
WHERE x.lexeme_index MATCH :match AND c.namespace = :namespace
    AND (:superseded OR m.superseded_by IS NULL)
    AND (:start IS NULL OR coalesce(m.event_end - 1, m.event_timestamp) >= :start)
    AND (:end IS NULL OR m.event_timestamp < :end)
    AND (NOT :undated OR m.event_timestamp IS NULL)
    AND (:true_at IS NULL OR coalesce(
        m.event_timestamp,
        (SELECT p.updated_at FROM memory p WHERE p.namespace = m.namespace AND p.id = m.supersedes),
        :true_at
    ) <= :true_at AND NOT EXISTS (
        SELECT 1 FROM memory n
        WHERE n.namespace = m.namespace AND n.id = m.superseded_by
            AND coalesce(n.event_timestamp, m.updated_at) <= :true_at
    ))
    AND (:known_at IS NULL OR coalesce(
        (SELECT p.updated_at FROM memory p WHERE p.namespace = m.namespace AND p.id = m.supersedes),
        m.created_at
    ) <= :known_at AND (m.superseded_by IS NULL OR m.updated_at > :known_at))
    AND (:origin IS NULL OR substr(m.origin_uri, 1, length(:origin)) = :origin)
    AND (:kinds = '[]' OR EXISTS (
        SELECT 1 FROM origin k
        WHERE k.namespace = m.namespace AND k.uri = m.origin_uri AND k.kind IN (SELECT w.value FROM json_each(:kinds) w)
    ))
    AND (:some_tag IS NULL OR instr(m.tags, :some_tag))
    AND (:tags = '[]' OR NOT EXISTS (
        SELECT 1 FROM json_each(:tags) w
        WHERE NOT EXISTS (SELECT 1 FROM json_each(m.tags) h WHERE h.value = w.value)
    ))
    AND (:metadata = '{}' OR NOT EXISTS (
        SELECT 1 FROM json_each(:metadata) w
        WHERE NOT EXISTS (SELECT 1 FROM json_each(m.metadata) h WHERE h.key = w.key AND h.value IS w.value)
    ))
ORDER BY x.rank
LIMIT :limit;

-- name: allowed_chunks
-- All chunks that pass the filters.
SELECT c.key
FROM memory m
CROSS JOIN chunk c ON c.namespace = m.namespace AND c.memory_id = m.id
WHERE m.namespace = :namespace
    AND (:superseded OR m.superseded_by IS NULL)
    AND (:start IS NULL OR coalesce(m.event_end - 1, m.event_timestamp) >= :start)
    AND (:end IS NULL OR m.event_timestamp < :end)
    AND (NOT :undated OR m.event_timestamp IS NULL)
    AND (:true_at IS NULL OR coalesce(
        m.event_timestamp,
        (SELECT p.updated_at FROM memory p WHERE p.namespace = m.namespace AND p.id = m.supersedes),
        :true_at
    ) <= :true_at AND NOT EXISTS (
        SELECT 1 FROM memory n
        WHERE n.namespace = m.namespace AND n.id = m.superseded_by
            AND coalesce(n.event_timestamp, m.updated_at) <= :true_at
    ))
    AND (:known_at IS NULL OR coalesce(
        (SELECT p.updated_at FROM memory p WHERE p.namespace = m.namespace AND p.id = m.supersedes),
        m.created_at
    ) <= :known_at AND (m.superseded_by IS NULL OR m.updated_at > :known_at))
    AND (:origin IS NULL OR substr(m.origin_uri, 1, length(:origin)) = :origin)
    AND (:kinds = '[]' OR EXISTS (
        SELECT 1 FROM origin k
        WHERE k.namespace = m.namespace AND k.uri = m.origin_uri AND k.kind IN (SELECT w.value FROM json_each(:kinds) w)
    ))
    AND (:some_tag IS NULL OR instr(m.tags, :some_tag))
    AND (:tags = '[]' OR NOT EXISTS (
        SELECT 1 FROM json_each(:tags) w
        WHERE NOT EXISTS (SELECT 1 FROM json_each(m.tags) h WHERE h.value = w.value)
    ))
    AND (:metadata = '{}' OR NOT EXISTS (
        SELECT 1 FROM json_each(:metadata) w
        WHERE NOT EXISTS (SELECT 1 FROM json_each(m.metadata) h WHERE h.key = w.key AND h.value IS w.value)
    ));

-- name: allowed_among
-- Those of the given chunks that pass the filters.
SELECT c.key
FROM json_each(:keys) k
CROSS JOIN chunk c ON c.key = k.value
CROSS JOIN memory m ON m.namespace = c.namespace AND m.id = c.memory_id
WHERE c.namespace = :namespace
    AND (:superseded OR m.superseded_by IS NULL)
    AND (:start IS NULL OR coalesce(m.event_end - 1, m.event_timestamp) >= :start)
    AND (:end IS NULL OR m.event_timestamp < :end)
    AND (NOT :undated OR m.event_timestamp IS NULL)
    AND (:true_at IS NULL OR coalesce(
        m.event_timestamp,
        (SELECT p.updated_at FROM memory p WHERE p.namespace = m.namespace AND p.id = m.supersedes),
        :true_at
    ) <= :true_at AND NOT EXISTS (
        SELECT 1 FROM memory n
        WHERE n.namespace = m.namespace AND n.id = m.superseded_by
            AND coalesce(n.event_timestamp, m.updated_at) <= :true_at
    ))
    AND (:known_at IS NULL OR coalesce(
        (SELECT p.updated_at FROM memory p WHERE p.namespace = m.namespace AND p.id = m.supersedes),
        m.created_at
    ) <= :known_at AND (m.superseded_by IS NULL OR m.updated_at > :known_at))
    AND (:origin IS NULL OR substr(m.origin_uri, 1, length(:origin)) = :origin)
    AND (:kinds = '[]' OR EXISTS (
        SELECT 1 FROM origin k
        WHERE k.namespace = m.namespace AND k.uri = m.origin_uri AND k.kind IN (SELECT w.value FROM json_each(:kinds) w)
    ))
    AND (:some_tag IS NULL OR instr(m.tags, :some_tag))
    AND (:tags = '[]' OR NOT EXISTS (
        SELECT 1 FROM json_each(:tags) w
        WHERE NOT EXISTS (SELECT 1 FROM json_each(m.tags) h WHERE h.value = w.value)
    ))
    AND (:metadata = '{}' OR NOT EXISTS (
        SELECT 1 FROM json_each(:metadata) w
        WHERE NOT EXISTS (SELECT 1 FROM json_each(m.metadata) h WHERE h.key = w.key AND h.value IS w.value)
    ));

-- name: generation
-- Changes when a backup takes the place of all there was, and keys come to name other chunks.
SELECT schema_version FROM pragma_schema_version;

-- name: last_vector
SELECT coalesce(max(key), 0) FROM embedding;

-- name: first_vector
SELECT coalesce(min(v.key), 0) FROM embedding v
WHERE v.namespace = :namespace AND v.embedder = (SELECT key FROM embedder WHERE fingerprint = :fingerprint);

-- name: last_change
SELECT coalesce(max(key), 0) FROM chunk_change;

-- name: new_vectors
-- Chunks are not joined: their rows are long, and all would be read.
SELECT v.chunk, v.vector, v.chunk NOT IN (
    SELECT c.key FROM memory m
    CROSS JOIN chunk c ON c.namespace = m.namespace AND c.memory_id = m.id
    WHERE m.namespace = :namespace AND m.superseded_by IS NOT NULL
) AS current
FROM embedder e
CROSS JOIN embedding v ON v.namespace = :namespace AND v.embedder = e.key AND v.key > :after
WHERE e.fingerprint = :fingerprint
ORDER BY v.key;

-- name: changed_chunks
SELECT DISTINCT g.chunk, c.key IS NOT NULL AS present, c.key IS NOT NULL AND m.superseded_by IS NULL AS current
FROM chunk_change g
LEFT JOIN chunk c ON c.key = g.chunk
LEFT JOIN memory m ON m.namespace = c.namespace AND m.id = c.memory_id
WHERE g.namespace = :namespace AND g.key > :after;

-- name: chunk_ids
SELECT c.key, c.id FROM json_each(:keys) k CROSS JOIN chunk c ON c.key = k.value WHERE c.namespace = :namespace;

-- name: chunks
SELECT
    c.id AS chunk_id, c.memory_id, c.text AS chunk_text, c.context AS chunk_context, c.position AS chunk_position,
    m.*, o.kind, o.title
FROM json_each(:ids) i
CROSS JOIN chunk c ON c.namespace = :namespace AND c.id = i.value
CROSS JOIN memory m ON m.namespace = c.namespace AND m.id = c.memory_id
CROSS JOIN origin o ON o.namespace = m.namespace AND o.uri = m.origin_uri
ORDER BY i.key;

-- name: candidates
-- A memory's neighbours are those of its origin and group in the places next to it, and its own other chunks.
WITH wanted (key, memory_id, position) AS (
    SELECT c.key, c.memory_id, c.position
    FROM json_each(:ids) i CROSS JOIN chunk c ON c.namespace = :namespace AND c.id = i.value
), near (key) AS (
    SELECT key FROM wanted
    UNION
    SELECT c.key FROM wanted w
    CROSS JOIN chunk c ON c.namespace = :namespace AND c.memory_id = w.memory_id
        AND c.position BETWEEN w.position - :reach AND w.position + :reach
    WHERE :reach > 0
    UNION
    SELECT c.key FROM wanted w
    CROSS JOIN memory m ON m.namespace = :namespace AND m.id = w.memory_id
    CROSS JOIN memory n ON n.namespace = m.namespace AND n.origin_uri = m.origin_uri
        AND n.position BETWEEN m.position - :reach AND m.position + :reach AND n.grouping = m.grouping
    CROSS JOIN chunk c ON c.namespace = n.namespace AND c.memory_id = n.id
    WHERE :reach > 0
)
SELECT
    c.id AS chunk_id, c.memory_id, c.text AS chunk_text, c.context AS chunk_context, c.position AS chunk_position,
    c.length, c.lexemes, c.context_length, c.context_lexemes, m.origin_uri, m.grouping, m.speaker, m.position,
    (
        SELECT v.vector FROM embedding v JOIN embedder e ON e.key = v.embedder
        WHERE v.chunk = c.key AND e.fingerprint = :fingerprint
    ) AS vector,
    (
        SELECT v.tokens FROM token_embedding v JOIN embedder e ON e.key = v.embedder
        WHERE v.chunk = c.key AND e.fingerprint = :token_fingerprint
    ) AS tokens
FROM near
CROSS JOIN chunk c ON c.key = near.key
CROSS JOIN memory m ON m.namespace = c.namespace AND m.id = c.memory_id;

-- name: timeline
SELECT t.* FROM (
    SELECT m.*, o.kind, o.title
    FROM memory m
    CROSS JOIN origin o ON o.namespace = m.namespace AND o.uri = m.origin_uri
    WHERE m.namespace = :namespace AND m.event_timestamp IS NOT NULL
        AND (:superseded OR m.superseded_by IS NULL)
        AND (:start IS NULL OR coalesce(m.event_end - 1, m.event_timestamp) >= :start)
        AND (:end IS NULL OR m.event_timestamp < :end)
        AND (NOT :undated OR m.event_timestamp IS NULL)
        AND (:true_at IS NULL OR coalesce(
            m.event_timestamp,
            (SELECT p.updated_at FROM memory p WHERE p.namespace = m.namespace AND p.id = m.supersedes),
            :true_at
        ) <= :true_at AND NOT EXISTS (
            SELECT 1 FROM memory n
            WHERE n.namespace = m.namespace AND n.id = m.superseded_by
                AND coalesce(n.event_timestamp, m.updated_at) <= :true_at
        ))
        AND (:known_at IS NULL OR coalesce(
            (SELECT p.updated_at FROM memory p WHERE p.namespace = m.namespace AND p.id = m.supersedes),
            m.created_at
        ) <= :known_at AND (m.superseded_by IS NULL OR m.updated_at > :known_at))
        AND (:origin IS NULL OR substr(m.origin_uri, 1, length(:origin)) = :origin)
        AND (:kinds = '[]' OR EXISTS (
            SELECT 1 FROM origin k
            WHERE k.namespace = m.namespace AND k.uri = m.origin_uri AND k.kind IN (SELECT w.value FROM json_each(:kinds) w)
        ))
        AND (:some_tag IS NULL OR instr(m.tags, :some_tag))
        AND (:tags = '[]' OR NOT EXISTS (
            SELECT 1 FROM json_each(:tags) w
            WHERE NOT EXISTS (SELECT 1 FROM json_each(m.tags) h WHERE h.value = w.value)
        ))
        AND (:metadata = '{}' OR NOT EXISTS (
            SELECT 1 FROM json_each(:metadata) w
            WHERE NOT EXISTS (SELECT 1 FROM json_each(m.metadata) h WHERE h.key = w.key AND h.value IS w.value)
        ))
    ORDER BY m.event_timestamp DESC, m.id DESC
    LIMIT :limit
) t
ORDER BY t.event_timestamp, t.id;

-- name: entries
SELECT
    c.id AS chunk_id, c.memory_id, c.text AS chunk_text, c.context AS chunk_context, c.position AS chunk_position,
    c.lexemes, c.context_lexemes, m.origin_uri, m.grouping, m.speaker,
    (
        SELECT v.vector FROM embedding v JOIN embedder e ON e.key = v.embedder
        WHERE v.chunk = c.key AND e.fingerprint = :fingerprint
    ) AS vector,
    (
        SELECT v.tokens FROM token_embedding v JOIN embedder e ON e.key = v.embedder
        WHERE v.chunk = c.key AND e.fingerprint = :fingerprint
    ) AS tokens
FROM json_each(:ids) i
CROSS JOIN memory m ON m.namespace = :namespace AND m.id = i.value
CROSS JOIN chunk c ON c.namespace = m.namespace AND c.memory_id = m.id;

-- name: memories
SELECT m.*, o.kind, o.title
FROM json_each(:ids) i
CROSS JOIN memory m ON m.namespace = :namespace AND m.id = i.value
CROSS JOIN origin o ON o.namespace = m.namespace AND o.uri = m.origin_uri
ORDER BY m.key;

-- name: memories_by_prefix
SELECT m.*, o.kind, o.title
FROM memory m
JOIN origin o ON o.namespace = m.namespace AND o.uri = m.origin_uri
WHERE m.namespace = :namespace AND m.id BETWEEN :prefix AND :last
LIMIT 2;

-- name: dump_memories
SELECT n.name AS namespace_name, m.*, o.kind, o.title
FROM memory m
JOIN namespace n ON n.key = m.namespace
JOIN origin o ON o.namespace = m.namespace AND o.uri = m.origin_uri
WHERE m.key > :after AND (:namespace IS NULL OR n.name = :namespace)
ORDER BY m.key
LIMIT :limit;

-- name: dump_tombstones
SELECT n.name, t.memory_id, t.forgotten_at
FROM tombstone t JOIN namespace n ON n.key = t.namespace
WHERE :namespace IS NULL OR n.name = :namespace
ORDER BY n.name, t.memory_id;

-- name: survey_origins
-- What was told has an origin each; together they are one.
SELECT
    CASE o.kind WHEN :told THEN :told ELSE o.uri END AS uri, o.kind, o.title,
    count(*) AS memories, min(m.created_at) AS first, max(m.updated_at) AS last, max(o.revision IS NOT NULL) AS is_read
FROM memory m
CROSS JOIN origin o ON o.namespace = m.namespace AND o.uri = m.origin_uri
WHERE m.namespace = :namespace
GROUP BY 1
ORDER BY 1;

-- name: survey_counts
SELECT
    coalesce(sum(superseded_by IS NULL), 0) AS current, coalesce(sum(superseded_by IS NOT NULL), 0) AS superseded,
    coalesce(sum(superseded_by IS NULL AND event_timestamp IS NULL), 0) AS undated
FROM memory WHERE namespace = :namespace;

-- name: survey_events
SELECT event_timestamp - ((event_timestamp % :quarter) + :quarter) % :quarter AS quarter, count(*) AS memories
FROM memory
WHERE namespace = :namespace AND event_timestamp IS NOT NULL AND superseded_by IS NULL
GROUP BY 1 ORDER BY 1;

-- name: survey_learned
SELECT created_at - ((created_at % :quarter) + :quarter) % :quarter AS quarter, count(*) AS memories
FROM memory
WHERE namespace = :namespace AND superseded_by IS NULL
GROUP BY 1 ORDER BY 1;

-- name: survey_tags
SELECT t.value AS tag, count(*) AS memories
FROM memory m CROSS JOIN json_each(m.tags) t
WHERE m.namespace = :namespace AND m.superseded_by IS NULL AND m.tags <> '[]'
GROUP BY 1 ORDER BY 1;

-- name: count_memories
SELECT n.name, count(m.key) FROM namespace n JOIN memory m ON m.namespace = n.key GROUP BY n.key ORDER BY n.name;

-- name: holds_anything
SELECT EXISTS (SELECT 1 FROM memory) OR EXISTS (SELECT 1 FROM tombstone);

-- name: count_chunks
SELECT count(*) FROM chunk;

-- name: count_vectors
SELECT e.fingerprint, count(v.key) FROM embedder e LEFT JOIN embedding v ON v.embedder = e.key GROUP BY e.key
HAVING count(v.key) > 0 ORDER BY e.fingerprint;

-- name: count_tokens
SELECT e.fingerprint, count(*) FROM embedder e JOIN token_embedding v ON v.embedder = e.key GROUP BY e.key
ORDER BY e.fingerprint;

-- name: hidden_memories
SELECT count(*) FROM memory m WHERE m.superseded_by IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM memory n WHERE n.namespace = m.namespace AND n.id = m.superseded_by
);

-- name: memories_without_chunks
SELECT count(*) FROM memory m
WHERE NOT EXISTS (SELECT 1 FROM chunk c WHERE c.namespace = m.namespace AND c.memory_id = m.id);

-- name: chunks_without_words
SELECT count(*) FROM chunk WHERE key NOT IN (SELECT rowid FROM lexeme_index);

-- name: words_without_chunks
SELECT count(*) FROM lexeme_index WHERE rowid NOT IN (SELECT key FROM chunk);

-- name: wrong_counters
SELECT n.name FROM namespace n
LEFT JOIN (
    SELECT namespace, count(*) AS chunks, sum(length) AS lexemes,
        sum(context_length > 0) AS contexts, sum(context_length) AS context_lexemes
    FROM chunk GROUP BY namespace
) c ON c.namespace = n.key
WHERE n.chunks <> coalesce(c.chunks, 0) OR n.lexemes <> coalesce(c.lexemes, 0)
    OR n.contexts <> coalesce(c.contexts, 0) OR n.context_lexemes <> coalesce(c.context_lexemes, 0);

-- name: optimize_words
INSERT INTO lexeme_index (lexeme_index) VALUES ('optimize');

-- name: structure_of_words
SELECT block FROM lexeme_index_data WHERE id = 10;

-- name: check_words
INSERT INTO lexeme_index (lexeme_index) VALUES ('integrity-check');

-- name: enqueue
INSERT INTO queue (namespace, item) VALUES (:namespace, :item) ON CONFLICT DO NOTHING;

-- name: hold
UPDATE queue SET claimed_until = :until WHERE namespace = :namespace AND claimant = :claimant RETURNING item;

-- name: claim
UPDATE queue SET claimant = :claimant, claimed_until = :until
WHERE namespace = :namespace AND item IN (
    SELECT q.item FROM queue q
    WHERE q.namespace = :namespace AND coalesce(q.claimed_until <= :now, TRUE)
    ORDER BY q.item
    LIMIT :limit
) RETURNING item;

-- name: settle
DELETE FROM queue
WHERE namespace = :namespace AND claimant = :claimant AND item IN (SELECT i.value FROM json_each(:items) i);

-- name: count_queue
SELECT count(*) AS items FROM queue WHERE namespace = :namespace;
