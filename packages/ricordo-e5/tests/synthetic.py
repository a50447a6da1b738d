"""A model of the same make, small enough to read: two layers, 32 wide, a vocabulary of a few pieces."""

from __future__ import annotations

import struct

import numpy as np

PIECES = ("<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "▁ab", "ж", "▁жук", "は", "▁日本", "😀", ".", "<mask>")
NORMALISATION = {"\x02": "", "\n": " ", "\u200b": " ", "½": "1⁄2", "\uc6bd": "\0"}
HIDDEN, LAYERS, INNER, POSITIONS = 64, 2, 128, 16


def source_file() -> bytes:
    """The bytes of the file."""
    tensors = dict(matrices(np.random.default_rng(7)))
    head = b"E5S1" + struct.pack("<I7ifi", 1, HIDDEN, LAYERS, 1, INNER, len(PIECES) + 1, POSITIONS, 2, 1e-12, 32)
    head += vocabulary() + normalisation()
    directory = struct.pack("<I", len(tensors))
    offset = len(head) + 4 + sum(2 + len(name) + 21 for name in tensors)
    for name, (form, count, content) in tensors.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", form, count, offset, len(content))
        offset += len(content)
    return head + directory + b"".join(content for _, _, content in tensors.values())


def vocabulary() -> bytes:
    texts = [piece.encode() for piece in PIECES]
    bounds = np.cumsum([0, *map(len, texts)])
    head = struct.pack("<5iQ", len(texts), 0, 2, 1, 3, int(bounds[-1]))
    scores = [-float(at) for at in range(len(texts))]
    return head + struct.pack(f"<{len(bounds)}I", *bounds) + struct.pack(f"<{len(scores)}f", *scores) + b"".join(texts)


def normalisation() -> bytes:
    table = struct.pack("<I", len(NORMALISATION))
    for point, text in NORMALISATION.items():
        table += struct.pack(f"<IB{len(text)}I", ord(point), len(text), *map(ord, text))
    return table


def matrices(random: np.random.Generator) -> list[tuple[str, tuple[int, int, bytes]]]:
    def floats(count: int, around: float = 0.0) -> tuple[int, int, bytes]:
        return 0, count, (random.normal(around, 0.1, count)).astype("<f4").tobytes()

    def blocks(count: int) -> tuple[int, int, bytes]:
        scales = random.uniform(0.01, 0.05, (count // 32, 1)).astype("<f2")
        halves = random.integers(0, 256, (count // 32, 16), dtype=np.uint8)
        return 1, count, np.concatenate([scales.view(np.uint8), halves], axis=1).tobytes()

    def norm(name: str) -> list[tuple[str, tuple[int, int, bytes]]]:
        return [(f"{name}.w", floats(HIDDEN, 1.0)), (f"{name}.b", floats(HIDDEN))]

    found = [("emb.word", blocks((len(PIECES) + 1) * HIDDEN)), ("emb.pos", floats(POSITIONS * HIDDEN))]
    found += [("emb.type", floats(2 * HIDDEN)), *norm("emb.ln")]
    for layer in range(LAYERS):
        for part, rows, columns in (
            ("q", HIDDEN, HIDDEN),
            ("k", HIDDEN, HIDDEN),
            ("v", HIDDEN, HIDDEN),
            ("ao", HIDDEN, HIDDEN),
            ("fi", INNER, HIDDEN),
            ("fo", HIDDEN, INNER),
        ):
            found += [(f"l{layer}.{part}.w", blocks(rows * columns)), (f"l{layer}.{part}.b", floats(rows))]
        found += [*norm(f"l{layer}.aln"), *norm(f"l{layer}.oln")]
    return found
