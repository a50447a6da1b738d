"""The encoder as an ONNX graph, written node by node with the operators of onnxruntime's own set.

Words go in as the 4-bit blocks that they are: `GatherBlockQuantized` means by them exactly what the source does. So do
matrices of 4 bits; those of 8 bits are rounded anew in wider blocks, which onnxruntime multiplies faster.

    input_ids, attention_mask  (texts, tokens) int64; the mask is 1 for a token and 0 for padding
    pooled               (texts, hidden) float32: mean of the last layer over the mask, of unit length
    neutral              the same without what it says of the text's language
    token_vectors_10_12  (texts, tokens, hidden) float32, of unit length, padding included: of each layer named
                         its states less their mean, brought to unit length; these summed, without what they
                         say of the language

An id beyond the vocabulary is an error of the run: `GatherBlockQuantized` would read beyond its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from ricordo_e5_build.languages import Languages
from ricordo_e5_build.reader import NEUTRAL
from ricordo_e5_build.source import BLOCK, Blocks, E5Source, Sizes
from ricordo_e5_build.vocabulary import Vocabulary

__all__ = ["Form", "encoder", "plain_encoder"]

INPUTS = ("input_ids", "attention_mask")
POOLED = "pooled"
PLAIN = "token_states"

OPSET, IR_VERSION = 21, 10
"""The oldest that know 4-bit integers. onnxruntime multiplies by 8-bit blocks since 1.22, by 4-bit ones since 1.20."""

CONTRIB = "com.microsoft"
INT8_ACTIVATIONS = 4
"""`accuracy_level`: each block of activations is rounded to int8 with a scale of its own, whatever the batch."""

WIDE = 64
"""Values of a block of 8-bit weights. Blocks of 32 take a seventh longer, and lose cosine .0002 less of the source's
vectors; those of 128 take a fifteenth less, and lose .0004 more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """What can be chosen: the layers that token vectors are made of, and the bits of the matrices, 4 or 8."""

    layers: tuple[int, ...] = (10, 12)
    bits: int = 8

    @property
    def output(self) -> str:
        """The output of token vectors. It names the layers, so that none is taken for another."""
        return "_".join(("token_vectors", *map(str, self.layers)))


@dataclass(kw_only=True, slots=True)
class Graph:
    """Nodes and constants as they are added. Each method returns the name of what it adds."""

    sizes: Sizes
    bits: int
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def constant(self, name: str, values: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def add(self, operator: str, inputs: list[str], name: str, **attributes: Any) -> str:  # noqa: ANN401 - of many types
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def contrib(self, operator: str, inputs: list[str], name: str, **attributes: Any) -> str:  # noqa: ANN401 - of many types
        return self.add(operator, inputs, name, domain=CONTRIB, **attributes)

    def multiply(self, states: str, weights: Blocks, bias: NDArray[np.float32], name: str) -> str:
        """States times a matrix in blocks, plus a bias; a row of the matrix is an output."""
        packed, scales = packed_matrix(weights, self.bits)
        block = BLOCK if self.bits == 4 else WIDE
        return self.contrib(
            "MatMulNBits",
            [
                states,
                self.constant(f"{name}.weight", packed),
                self.constant(f"{name}.scale", scales),
                "",
                "",
                self.constant(f"{name}.bias", bias),
            ],
            name,
            K=scales.shape[1] * block,
            N=len(scales),
            bits=self.bits,
            block_size=block,
            accuracy_level=INT8_ACTIVATIONS,
        )

    def normalise(self, states: str, residual: str, source: E5Source, norm: str) -> str:
        """Layer normalisation of the sum of two."""
        gamma = self.constant(f"{norm}.gamma", source.floats(f"{norm}.w"))
        beta = self.constant(f"{norm}.beta", source.floats(f"{norm}.b"))
        inputs = [states, residual, gamma, beta]
        return self.contrib("SkipLayerNormalization", inputs, norm, epsilon=self.sizes.epsilon)


def encoder(
    source: E5Source,
    vocabulary: Vocabulary,
    form: Form,
    means: Mapping[int, NDArray[np.float32]],
    languages: Languages | None = None,
) -> ModelProto:
    """The whole model. `means` are those of the token states of each of its form's layers.

    Without `languages` nothing is taken off, and there is no `neutral`: for fitting them.
    """
    graph = Graph(sizes=source.sizes, bits=form.bits)
    parts = []
    for layer, states in layers(graph, source, vocabulary):
        if layer in form.layers:
            parts.append(centred(graph, states, means[layer], f"l{layer}"))
        last = states
    total = graph.add("Sum", parts, "token_vectors.sum")
    if languages is not None:
        total = without(graph, total, languages.tokens, "token_vectors")
    graph.add("LpNormalization", [total], form.output, axis=-1, p=2)
    pool(graph, last)
    if languages is None:
        return assembled(graph, (POOLED,), form.output)
    graph.add("LpNormalization", [without(graph, POOLED, languages.pooled, POOLED)], NEUTRAL, axis=-1, p=2)
    return assembled(graph, (POOLED, NEUTRAL), form.output)


def plain_encoder(source: E5Source, vocabulary: Vocabulary, layer: int, bits: int) -> ModelProto:
    """The same model with the states of one layer as they are, for fitting their mean."""
    graph = Graph(sizes=source.sizes, bits=bits)
    for number, states in layers(graph, source, vocabulary):
        if number == layer:
            graph.add("Identity", [states], PLAIN)
        last = states
    pool(graph, last)
    return assembled(graph, (POOLED,), PLAIN)


def layers(graph: Graph, source: E5Source, vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Each layer's number, from 1, and its states, as they are added."""
    states = embed(graph, source, vocabulary)
    key_mask = graph.add("Cast", ["attention_mask"], "key_mask", to=TensorProto.INT32)
    for layer in range(source.sizes.layers):
        states = attend(graph, source, layer, states, key_mask)
        states = transform(graph, source, layer, states)
        yield layer + 1, states


def centred(graph: Graph, states: str, mean: NDArray[np.float32], name: str) -> str:
    """States less their mean, of unit length. What all tokens share says nothing of any of them."""
    rest = graph.add("Sub", [states, graph.constant(f"{name}.mean", mean)], f"{name}.rest")
    return graph.add("LpNormalization", [rest], f"{name}.centred", axis=-1, p=2)


def without(graph: Graph, vectors: str, directions: NDArray[np.float32], name: str) -> str:
    """Vectors less their part in some directions, `(directions, hidden)` with orthogonal rows of unit length.

    Row by row: a matrix product's last bit would depend on how many rows there are.
    """
    axis = graph.constant(f"{name}.axis", np.array([-1], np.int64))
    parts = []
    for number, direction in enumerate(directions):
        along = graph.constant(f"{name}.direction.{number}", direction)
        products = graph.add("Mul", [vectors, along], f"{name}.products.{number}")
        share = graph.add("ReduceSum", [products, axis], f"{name}.share.{number}", keepdims=1)
        parts.append(graph.add("Mul", [share, along], f"{name}.part.{number}"))
    return graph.add("Sub", [vectors, graph.add("Sum", parts, f"{name}.language")], f"{name}.without")


def embed(graph: Graph, source: E5Source, vocabulary: Vocabulary) -> str:
    """Words, positions and the one token type, summed and normalised."""
    sizes = graph.sizes
    words = source.blocks("emb.word", sizes.hidden).rows(vocabulary.kept)
    positions = source.floats("emb.pos").reshape(-1, sizes.hidden) + source.floats("emb.type")[: sizes.hidden]
    graph.constants.append(signed_nibbles("words", words))
    scales = graph.constant("words.scale", words.scales)
    half = graph.contrib(
        "GatherBlockQuantized",
        ["words", checked_ids(graph, len(vocabulary)), scales],
        "words.half",
        block_size=BLOCK,
        gather_axis=0,
        quantize_axis=1,
    )
    word = graph.add("Cast", [half], "word", to=TensorProto.FLOAT)
    count = graph.add("Shape", ["input_ids"], "tokens", start=1, end=2)
    zero = graph.constant("zero", np.zeros(1, np.int64))
    position = graph.add("Slice", [graph.constant("positions", positions), zero, count, zero], "position")
    every = graph.add("Unsqueeze", [position, zero], "position.row")
    return graph.normalise(word, every, source, "emb.ln")


def checked_ids(graph: Graph, words: int) -> str:
    """The ids as they are, by way of a standard Gather, which refuses what lies beyond its table of zeros."""
    size = graph.constant("vocabulary", np.array([words], np.int64))
    value = helper.make_tensor("value", TensorProto.UINT8, [1], [0])
    zeros = graph.add("ConstantOfShape", [size], "zeros", value=value)
    looked_up = graph.add("Gather", [zeros, "input_ids"], "looked_up")
    return graph.add("Add", ["input_ids", graph.add("Cast", [looked_up], "nothing", to=TensorProto.INT64)], "ids")


def attend(graph: Graph, source: E5Source, layer: int, states: str, key_mask: str) -> str:
    """Self-attention, its residual and normalisation. One matrix makes queries, keys and values: it is faster."""
    hidden, at = graph.sizes.hidden, f"l{layer}"
    parts = [f"{at}.{part}" for part in ("q", "k", "v")]
    weights = stacked([source.blocks(f"{part}.w", hidden) for part in parts])
    bias = np.concatenate([source.floats(f"{part}.b") for part in parts])
    together = graph.multiply(states, weights, bias, f"{at}.qkv")
    graph.nodes.append(helper.make_node("Split", [together], parts, name=f"{at}.split", axis=-1, num_outputs=3))
    heads = graph.sizes.heads
    mixed = graph.contrib("MultiHeadAttention", [*parts, "", key_mask], f"{at}.mixed", num_heads=heads)
    weights = source.blocks(f"{at}.ao.w", hidden)
    attended = graph.multiply(mixed, weights, source.floats(f"{at}.ao.b"), f"{at}.ao")
    return graph.normalise(attended, states, source, f"{at}.aln")


def transform(graph: Graph, source: E5Source, layer: int, states: str) -> str:
    """The feed-forward half of a layer, its residual and normalisation."""
    sizes, at = graph.sizes, f"l{layer}"
    weights = source.blocks(f"{at}.fi.w", sizes.hidden)
    inner = graph.multiply(states, weights, source.floats(f"{at}.fi.b"), f"{at}.fi")
    active = graph.contrib("Gelu", [inner], f"{at}.gelu")
    weights = source.blocks(f"{at}.fo.w", sizes.inner)
    outer = graph.multiply(active, weights, source.floats(f"{at}.fo.b"), f"{at}.fo")
    return graph.normalise(outer, states, source, f"{at}.oln")


def pool(graph: Graph, states: str) -> None:
    """The sum over the mask, brought to unit length: the mean's length would go the same way.

    A running sum adds token after token. ReduceSum and MatMul group them by how many there are, padding
    included, and the last bit would depend on the rest of the batch.
    """
    axis = graph.constant("along", np.array(1, np.int64))
    last = graph.constant("last", np.array(-1, np.int64))
    column = graph.constant("column", np.array([-1], np.int64))
    mask = graph.add("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    masked = graph.add("Mul", [states, graph.add("Unsqueeze", [mask, column], "mask.column")], "masked")
    running = graph.add("CumSum", [masked, axis], "running")
    total = graph.add("Gather", [running, last], "total", axis=1)
    graph.add("LpNormalization", [total], POOLED, axis=-1, p=2)


def assembled(graph: Graph, pooled: Sequence[str], tokens: str) -> ModelProto:
    """Inputs and outputs declared, versions set."""
    hidden = graph.sizes.hidden
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in INPUTS]
    outputs = [
        *(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", hidden]) for name in pooled),
        helper.make_tensor_value_info(tokens, TensorProto.FLOAT, ["texts", "tokens", hidden]),
    ]
    whole = helper.make_graph(graph.nodes, "multilingual-e5-small", ids, outputs, graph.constants)
    imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(whole, producer_name="ricordo-e5", opset_imports=imports, ir_version=IR_VERSION)


def packed_matrix(weights: Blocks, bits: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """`(rows, blocks, bytes a block)` and `(rows, blocks)`, as MatMulNBits wants them.

    With 4 bits each byte holds two neighbours, the first in its lower half. With 8 bits the values stand around 128,
    the largest of a block 127 from it: read by another kernel, a tenth to a third faster where it was measured.
    """
    if bits == 4:
        return pairs(weights.nibbles), weights.scales.astype(np.float32)
    values = weights.values().reshape(len(weights.scales), -1, WIDE)
    scales = np.abs(values).max(axis=-1) / np.float32(127)
    steps = np.rint(values / np.where(scales > 0, scales, np.float32(1))[..., None])
    return (steps + 128).astype(np.uint8), scales


def stacked(matrices: Sequence[Blocks]) -> Blocks:
    """One matrix with the rows of all, one after the other."""
    return Blocks(
        nibbles=np.concatenate([matrix.nibbles for matrix in matrices]),
        scales=np.concatenate([matrix.scales for matrix in matrices]),
    )


def signed_nibbles(name: str, table: Blocks) -> TensorProto:
    """The table as int4, two's complement, which needs no zero point: nibble - 8."""
    rows = len(table.nibbles)
    packed = pairs(table.nibbles ^ np.uint8(8))
    tensor = TensorProto(name=name, data_type=TensorProto.INT4, raw_data=packed.tobytes())
    tensor.dims.extend([rows, table.nibbles.size // rows])
    return tensor


def pairs(nibbles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Neighbours along the last axis in one byte, the first in its lower half."""
    return nibbles[..., 0::2] | (nibbles[..., 1::2] << np.uint8(4))
