"""The memory for other libraries: one module for each, which needs that library and knows nothing of the others.

All take the blocking engine (`ricordo.sync.open`), which any thread and any event loop can call.
"""

from __future__ import annotations
