"""multilingual-e5-small as data: `model.onnx`, `tokenizer.json`, `provenance.json` and the licence.

Texts are read as `query: …` or `passage: …`, at most 512 tokens with `<s>`, prefix and `</s>`.
"""

from __future__ import annotations
