"""Working doubles of the five seams, for tests of ricordo and of programs that use it.

They keep every promise of `protocols` and need no model: the store scans, the embedder hashes, the reranker counts.
"""

from __future__ import annotations

from ricordo.testing.models import HashEmbedder, OverlapReranker
from ricordo.testing.reading import ListSource, WholeChunker
from ricordo.testing.store import InMemoryStore

__all__ = ["HashEmbedder", "InMemoryStore", "ListSource", "OverlapReranker", "WholeChunker"]
