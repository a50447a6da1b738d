-- Work that waits to be claimed.

CREATE TABLE ricordo.queue (
    namespace text NOT NULL,
    id text COLLATE "C" NOT NULL,
    item text NOT NULL,
    claimant text,
    claimed_until timestamptz,
    CONSTRAINT queue_pkey PRIMARY KEY (namespace, id)
);
