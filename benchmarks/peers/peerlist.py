"""Who is measured, what is installed for each, and how it is set up."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PEERS", "Peer"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """`name` is that of its module without `peer_`; it runs in this program's environment when it needs nothing.

    `requirements` go to pip, the first being what is measured. With `vectors` it is handed those of all texts; without,
    it makes or asks for its own, or has no use for any.
    """

    name: str
    title: str
    requirements: tuple[str, ...] = ()
    settings: str
    vectors: bool = False


PEERS = (
    Peer(
        name="ricordo",
        title="ricordo",
        settings="as installed; its own vectors of the same model, token vectors among them",
    ),
    Peer(
        name="fts5",
        title="plain FTS5",
        settings="`porter unicode61`, the words of the question joined by OR, `bm25()`; no vectors",
    ),
    Peer(
        name="txtai",
        title="txtai hybrid",
        # PyTorch is imported and not used here; a release that also has a build without CUDA.
        requirements=("txtai==9.14.0", "torch==2.13.0"),
        settings="`hybrid: true`: Faiss and BM25, weights 0.5; vectors by `method: external`",
        vectors=True,
    ),
    Peer(
        name="lancedb",
        title="LanceDB hybrid",
        requirements=("lancedb==0.40.0",),
        settings="exact vectors, FTS index with its English defaults, RRF reranker (k = 60)",
        vectors=True,
    ),
    Peer(
        name="chroma",
        title="Chroma",
        requirements=("chromadb==1.5.9",),
        settings="HNSW, cosine, defaults; its hybrid search is for servers only",
        vectors=True,
    ),
    Peer(
        name="mcp_memory",
        title="mcp-memory-service",
        # pysqlite3 stands in where Python's own SQLite cannot load extensions.
        requirements=("mcp-memory-service==12.4.0", "pysqlite3-binary; sys_platform == 'linux'"),
        settings="sqlite-vec, `mode=hybrid`, weights 0.3 and 0.7; vectors by its external embedding API",
    ),
    Peer(
        name="mem0",
        title="mem0, `infer=False`",
        requirements=("mem0ai==2.2.1", "fastembed==0.9.1"),
        settings="local Qdrant, hybrid with fastembed's BM25, threshold 0; vectors by its OpenAI provider",
    ),
)
