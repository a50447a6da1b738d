"""Running a model: its files checked, its tokenizer and its ONNX session. Alone in importing either library.

Both are imported when a model is loaded and not before: they take longer to import than a store to answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ricordo.errors import ModelError
from ricordo.memory import clean
from ricordo.models.digests import verify
from ricordo.models.specs import Spec, paths

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Runner", "load", "open_session"]

T = TypeVar("T")
R = TypeVar("R")

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

    def run(self, outputs: Sequence[str], feed: Mapping[str, NDArray[np.int64]]) -> Sequence[NDArray[np.float32]]: ...


def load(spec: Spec, threads: int = 0) -> Runner:
    """Check the model's files against their hashes and open it; 0 threads means as many as suit the machine.

    Raises ModelError when a file is missing or damaged, or onnxruntime cannot run the model.
    """
    found = paths(spec)
    for file, path in zip(spec.files, found, strict=True):
        verify(file, path)
    model, tokenizer = found[:2]
    return Runner(
        spec.name,
        tokenizer=open_tokenizer(tokenizer),
        session=open_session(model),
        threads=threads or min(THREADS, os.cpu_count() or 1),
    )


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer as it is, without the cutting and padding that its file asks for. Raises ModelError."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises Exception itself, for any file it cannot read
        raise ModelError(f"tokenizers cannot read {path}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def open_session(path: Path) -> Session:
    """A session that keeps little memory, says nothing, and runs each pass on one thread. Raises ModelError."""
    # Since 1.29 onnxruntime keeps a device id and reports to its maker, unless it is told not to before it is
    # loaded. The call after it is for builds that do not read the variable, and for programs that loaded it first.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # type: ignore[import-untyped]

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    # Passes side by side read a fifth more than one after the other on two threads each, which wait at every layer,
    # and twice as much where others use the cores; a question alone takes a tenth longer.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = FATAL
    # The arena never gives memory back: one large pass would stay resident for as long as the process lives.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
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


class Runner:
    """An open model: texts → tokens, and windows of tokens → whatever the model puts out.

    Safe to use from several threads.
    """

    def __init__(self, name: str, *, tokenizer: Tokenizer, session: Session, threads: int = 1) -> None:
        self.name = name
        self.threads = threads
        self._workers = ThreadPoolExecutor(threads, thread_name_prefix=f"ricordo {name}")
        self._tokenizer = tokenizer
        self._session = session
        self._inputs = frozenset(each.name for each in session.get_inputs())
        self.outputs: Mapping[str, Sequence[int | str]] = {each.name: each.shape for each in session.get_outputs()}

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens left out."""
        # A text that is not Unicode would be a TypeError of the tokenizer.
        encodings = self._tokenizer.encode_batch_fast([clean(text) for text in texts], add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def piece(self, token: int) -> str:
        """The text of a token, with the marks of its tokenizer."""
        return self._tokenizer.id_to_token(token) or ""

    def frame(self) -> tuple[list[int], list[int]]:
        """The special tokens before and after a text."""
        framed = self._tokenizer.encode("a")
        inner = [at for at, special in enumerate(framed.special_tokens_mask) if not special]
        return framed.ids[: inner[0]], framed.ids[inner[-1] + 1 :]

    def pair_frame(self) -> tuple[list[int], list[int], list[int], tuple[int, int]]:
        """The special tokens before, between and after two texts, and the token type of each text."""
        framed = self._tokenizer.encode("a", "a")
        of_text = [
            None if special else text
            for text, special in zip(framed.sequence_ids, framed.special_tokens_mask, strict=True)
        ]
        ends = len(of_text) - 1 - of_text[::-1].index(0), len(of_text) - 1 - of_text[::-1].index(1)
        starts = of_text.index(0), of_text.index(1)
        types = framed.type_ids[starts[0]], framed.type_ids[starts[1]]
        return framed.ids[: starts[0]], framed.ids[ends[0] + 1 : starts[1]], framed.ids[ends[1] + 1 :], types

    def each(self, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """What the work makes of each item, in their order, side by side on the threads that the model may use."""
        if len(items) < 2 or self.threads == 1:
            return [work(item) for item in items]
        return list(self._workers.map(work, items))

    def run(
        self, outputs: Sequence[str], windows: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None
    ) -> tuple[Sequence[NDArray[np.float32]], NDArray[np.float32]]:
        """One pass over the windows, padded to the longest: the outputs asked for, and the mask of what is no padding.

        `types` are the token types of the windows, zeros when not given. Raises ModelError.
        """
        ids = np.zeros((len(windows), max(map(len, windows))), np.int64)
        mask, kinds = np.zeros_like(ids), np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
            if types is not None:
                kinds[row, : len(window)] = types[row]
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
        with translated(self.name):
            found = self._session.run(outputs, {name: feed[name] for name in self._inputs})
        return found, mask.astype(np.float32)
