"""Real models of a few hundred bytes, built where a test needs one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, TensorProto, ValueInfoProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = ("harbour", "lantern", "orchid", "granite", "violin", "saffron", "glacier", "tea", "the", ".")
DIMENSION = len(WORDS)
MAX_TOKENS = 16


def write_encoder(folder: Path) -> Path:
    """A model whose token states are one dimension a word; the folder is as an ONNX export leaves it."""
    look_up = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    state = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["text", "token", DIMENSION])
    graph = helper.make_graph(
        [look_up], "encoder", [_tokens("input_ids"), _tokens("attention_mask")], [state], [_table(base=0.5)]
    )
    return _write(folder, graph)


def write_cross_encoder(folder: Path, classes: int = 1) -> Path:
    """A model whose score is the number of question tokens that a passage token is equal to."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["states"]),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["types", "last"], ["second"]),
        helper.make_node("Mul", ["states", "second"], ["passage states"]),
        helper.make_node("Sub", ["states", "passage states"], ["question states"]),
        helper.make_node("ReduceSum", ["passage states", "tokens"], ["passage"], keepdims=0),
        helper.make_node("ReduceSum", ["question states", "tokens"], ["question"], keepdims=0),
        helper.make_node("Mul", ["passage", "question"], ["shared"]),
        helper.make_node("ReduceSum", ["shared", "tokens"], ["score"], keepdims=1),
        helper.make_node("MatMul", ["score", "spread"], ["logits"]),
    ]
    constants = [
        _table(base=0.0),
        numpy_helper.from_array(np.array([-1], np.int64), "last"),
        numpy_helper.from_array(np.array([1], np.int64), "tokens"),
        numpy_helper.from_array(np.linspace(1 if classes == 1 else 0, 1, classes, dtype=np.float32)[None], "spread"),
    ]
    inputs = [_tokens(name) for name in ("input_ids", "attention_mask", "token_type_ids")]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pair", classes])
    return _write(folder, helper.make_graph(nodes, "cross-encoder", inputs, [logits], constants))


def _tokens(name: str) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["text", "token"])


def _table(base: float) -> TensorProto:
    """A row for each token: one dimension for a word, and `base` everywhere but for special tokens."""
    rows: NDArray[np.float32] = np.zeros((len(SPECIAL) + len(WORDS), DIMENSION), np.float32)
    rows[len(SPECIAL) :] = np.eye(DIMENSION) + base
    if base:
        rows[: len(SPECIAL)] = base / 2
    return numpy_helper.from_array(rows, "table")


def _write(folder: Path, graph: GraphProto) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    _tokenizer().save(str(folder / "tokenizer.json"))
    config = {"hidden_size": DIMENSION, "max_position_embeddings": MAX_TOKENS}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def _tokenizer() -> Tokenizer:
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    return tokenizer
