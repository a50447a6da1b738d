"""Running an encoder: its files checked, its tokenizer and its ONNX session. Alone in importing either library.

Both are imported when a model is loaded and not before: they take longer to import than a store to answer.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ricordo.errors import ModelError
from ricordo.memory import clean
from ricordo.models.catalog import ModelSpec, paths
from ricordo.models.files import ModelFile
from ricordo.models.windows import passes

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Encoder", "load", "verify"]

PASS_TOKENS = 512
"""Tokens a pass, padding included. Larger passes are no faster on two cores, and memory grows with them."""

THREADS = 2
"""What is used of a larger machine unless told otherwise."""

FATAL = 4
"""onnxruntime's highest severity: its own messages would go to stderr, ours come as errors."""


class Node(Protocol):
    """An input or output of a session."""

    name: str
    shape: Sequence[int | str]


class Session(Protocol):
    """What is used of onnxruntime's InferenceSession, which has no types of its own."""

    def get_inputs(self) -> Sequence[Node]: ...

    def get_outputs(self) -> Sequence[Node]: ...

    def run(self, outputs: None, feed: Mapping[str, NDArray[np.int64]]) -> Sequence[NDArray[np.float32]]: ...


def load(spec: ModelSpec, threads: int = 0) -> Encoder:
    """Check the model's files against their hashes and open it; 0 threads means as many as suit the machine.

    Raises ModelError when a file is missing or damaged, or onnxruntime cannot run the model.
    """
    model, tokenizer = paths(spec)
    verify(spec.model, model)
    verify(spec.tokenizer, tokenizer)
    return Encoder(
        spec,
        tokenizer=open_tokenizer(tokenizer),
        session=open_session(model, threads or min(THREADS, os.cpu_count() or 1)),
    )


def verify(file: ModelFile, path: Path) -> None:
    """Raise ModelError unless what lies at the path is the file, to the byte.

    Reads the whole file every time a model is loaded: that is a tenth of what loading takes, and a size or
    a date that has not changed would say nothing about a damaged disk.
    """
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}; {file.mend}") from error
    if found != file.sha256:
        raise ModelError(f"{path} is damaged: its sha256 is {found}, not {file.sha256}; {file.mend}")


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer as it is, without the cutting and padding that its file asks for."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def open_session(path: Path, threads: int) -> Session:
    """A session that keeps little memory and says nothing. Raises ModelError."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = FATAL
    # The arena never gives memory back: one large pass would stay resident for as long as the process lives.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    # Spinning threads win nothing on an idle machine and cost half the speed on a busy one.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with translated(path):
        session: Session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session


@contextmanager
def translated(what: object) -> Iterator[None]:
    """Turn onnxruntime's errors, which share no base class, into ModelError."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped]

    kinds = (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoSuchFile,
        state.NotImplemented,
        state.RuntimeException,
    )
    try:
        yield
    except kinds as error:
        raise ModelError(f"onnxruntime cannot run {what}: {error}") from error


class Encoder:
    """An open model: text → tokens → one vector a window. Safe to use from several threads.

    A window's vector does not depend on the windows that share its pass: weights are int8, but activations
    are float32, and padding is masked.
    """

    def __init__(self, spec: ModelSpec, *, tokenizer: Tokenizer, session: Session) -> None:
        self._spec = spec
        self._tokenizer = tokenizer
        self._session = session
        framed = tokenizer.encode("a")
        inner = [at for at, special in enumerate(framed.special_tokens_mask) if not special]
        self._head: list[int] = framed.ids[: inner[0]]
        self._tail: list[int] = framed.ids[inner[-1] + 1 :]
        self._inputs = frozenset(each.name for each in session.get_inputs())
        width = session.get_outputs()[0].shape[-1]
        if width != spec.dimension:
            raise ModelError(f"{spec.name} has {width} dimensions, not the {spec.dimension} of its row")

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens left out."""
        # A text that is not Unicode would be a TypeError of the tokenizer.
        encodings = self._tokenizer.encode_batch_fast([clean(text) for text in texts], add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def vectors(self, windows: Sequence[Sequence[int]], prefix: str) -> NDArray[np.float32]:
        """`(len(windows), dimension) float32`: the mean of each window's token states, of unit length.

        Raises ModelError.
        """
        head = self._head + (self.tokens([prefix])[0] if prefix else [])
        framed = [[*head, *window, *self._tail] for window in windows]
        rows = np.zeros((len(framed), self._spec.dimension), np.float32)
        for group in passes([len(window) for window in framed], PASS_TOKENS):
            rows[group] = self._run([framed[position] for position in group])
        return rows

    def _run(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        ids = np.zeros((len(windows), max(map(len, windows))), np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        with translated(self._spec.name):
            states = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        rows: NDArray[np.float32] = (states * mask[..., None].astype(np.float32)).sum(axis=1)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows
