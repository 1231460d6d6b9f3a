"""What a pickle would import, read off its opcodes without running any of them.

A pickle is a program. This interpreter knows just enough of it (the stack of constants and the memo) to
tell the names that ``STACK_GLOBAL`` would import, and to step over the raw arrays that joblib puts between
the opcodes.
"""

from __future__ import annotations

import io
import math
import pickletools
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, cast

import numpy as np

#: Opcodes read before the inspection stops and says so.
MAX_OPCODES = 5_000_000
_MARK = object()
_STRINGS = frozenset(
    {
        "STRING",
        "BINSTRING",
        "SHORT_BINSTRING",
        "UNICODE",
        "SHORT_BINUNICODE",
        "BINUNICODE",
        "BINUNICODE8",
    }
)
_NUMBERS = frozenset({"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"})
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_GETS = frozenset({"GET", "BINGET", "LONG_BINGET"})


@dataclass(slots=True)
class PickleFacts:
    """What a pickle holds.

    Attributes
    ----------
    protocol
        Highest protocol announced (0 if none is).
    globals
        Names it would import, ``module.name``, sorted; ``"?"`` where a name is computed.
    n_opcodes
        Opcodes read.
    problem
        Why reading stopped early, empty if it did not.
    """

    protocol: int = 0
    globals: set[str] = field(default_factory=set)
    n_opcodes: int = 0
    problem: str = ""


@dataclass(slots=True)
class _Thing:
    """An object the pickle would build: where it comes from, from what, and the state it gets."""

    origin: str
    arguments: Any = None
    state: Any = None


class _Bounded:
    """A file whose lengths are believed only as far as there are bytes: a claim of exabytes reads none."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        here = file.tell()
        self._end = file.seek(0, io.SEEK_END)
        file.seek(here)

    def read(self, size: int) -> bytes:
        return self._file.read(min(size, self._end - self._file.tell()))

    def readline(self) -> bytes:
        return self._file.readline()

    def tell(self) -> int:
        return self._file.tell()

    def skip(self, size: int) -> None:
        if size > self._end - self._file.tell():
            raise ValueError("array past the end")
        self._file.seek(size, io.SEEK_CUR)


def scan_pickle(file: IO[bytes]) -> PickleFacts:
    """List what the pickle at the file's position would import.

    Nothing is imported, called or built. A damaged pickle gives what was found up to the damage, and the
    reason in ``problem``.
    """
    facts = PickleFacts()
    try:
        _scan(_Bounded(file), facts, depth=0)
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError) as error:
        facts.problem = f"the pickle is damaged or ends early ({type(error).__name__})"
    return facts


def _scan(file: _Bounded, facts: PickleFacts, *, depth: int) -> None:
    stack: list[Any] = []
    memo: dict[int, Any] = {}
    protocol = 0
    for opcode, argument in _opcodes(file):
        facts.n_opcodes += 1
        if facts.n_opcodes > MAX_OPCODES:
            facts.problem = f"only the first {MAX_OPCODES:,} steps were read"
            return
        name = opcode.name
        if name == "PROTO":
            protocol = int(argument)
            facts.protocol = max(facts.protocol, protocol)
        elif name in _PUTS:
            memo[len(memo) if name == "MEMOIZE" else int(argument)] = stack[-1] if stack else None
        elif name in _GETS:
            stack.append(memo.get(int(argument)))
        elif name == "MARK":
            stack.append(_MARK)
        elif name == "DUP":
            stack.append(stack[-1])
        elif name in _STRINGS or name in _NUMBERS:
            stack.append(argument)
        elif name in ("NEWTRUE", "NEWFALSE", "NONE"):
            stack.append({"NEWTRUE": True, "NEWFALSE": False}.get(name))
        elif name in ("GLOBAL", "INST"):
            found = _imported(*str(argument).split(" ", 1), protocol=protocol)
            facts.globals.add(found)
            if name == "INST":
                _pop_to_mark(stack)
            stack.append(_Thing(found))
        elif name == "STACK_GLOBAL":
            attribute, module = stack.pop(), stack.pop()
            known = isinstance(module, str) and isinstance(attribute, str)
            found = _imported(module, attribute, protocol=protocol) if known else "?"
            facts.globals.add(found)
            stack.append(_Thing(found))
        elif name.startswith("EXT"):
            facts.globals.add(f"copyreg extension {argument}")
            stack.append(_Thing("copyreg"))
        elif name in ("TUPLE", "LIST", "DICT", "FROZENSET"):
            items = _pop_to_mark(stack)
            stack.append(
                dict(zip(items[::2], items[1::2], strict=False))
                if name == "DICT" and _hashable(items)
                else tuple(items)
            )
        elif name in ("EMPTY_TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"):
            size = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}[name]
            stack[len(stack) - size :] = [tuple(stack[len(stack) - size :])]
        elif name == "EMPTY_DICT":
            stack.append({})
        elif name in ("SETITEM", "SETITEMS"):
            items = _pop_to_mark(stack) if name == "SETITEMS" else [stack.pop(-2), stack.pop()]
            if stack and isinstance(stack[-1], dict):
                stack[-1].update(
                    (key, value)
                    for key, value in zip(items[::2], items[1::2], strict=False)
                    if isinstance(key, str)
                )
        elif name in ("REDUCE", "NEWOBJ"):
            arguments, maker = stack.pop(), stack.pop()
            stack.append(_Thing(maker.origin if isinstance(maker, _Thing) else "?", arguments))
        elif name == "NEWOBJ_EX":
            stack.pop()
            arguments, maker = stack.pop(), stack.pop()
            stack.append(_Thing(maker.origin if isinstance(maker, _Thing) else "?", arguments))
        elif name == "BUILD":
            state = stack.pop()
            thing = stack[-1] if stack else None
            if isinstance(thing, _Thing):
                thing.state = state
                if thing.origin.endswith("numpy_pickle.NumpyArrayWrapper"):
                    _skip_array(file, thing, facts, depth=depth)
        else:
            _generic(opcode, argument, stack)


def _opcodes(file: _Bounded) -> Iterator[tuple[Any, Any]]:
    # genops reads one opcode at a time, so the file may be moved forward between two of them.
    for opcode, argument, _ in pickletools.genops(cast("IO[bytes]", file)):
        yield opcode, argument


def _imported(module: str, name: str, *, protocol: int) -> str:
    """The name Python would import: below protocol 3 it translates those of Python 2."""
    if protocol < 3:
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
    return f"{module}.{name}"


def _pop_to_mark(stack: list[Any]) -> list[Any]:
    items: list[Any] = []
    while stack[-1] is not _MARK:
        items.append(stack.pop())
    stack.pop()
    return items[::-1]


def _hashable(items: list[Any]) -> bool:
    return all(isinstance(key, str | int | float | None) for key in items[::2])


def _generic(opcode: Any, argument: Any, stack: list[Any]) -> None:
    """Do to the stack what the opcode's description says, with unknown values."""
    before = opcode.stack_before
    if pickletools.markobject in before or pickletools.stackslice in before:
        _pop_to_mark(stack)
        kept = before.index(pickletools.markobject)
        del stack[len(stack) - kept :]
    elif before:
        del stack[max(len(stack) - len(before), 0) :]
    constant = (
        argument if isinstance(argument, int | float | bytes) and len(opcode.stack_after) == 1 else None
    )
    stack.extend([constant] * len(opcode.stack_after))


def _skip_array(file: _Bounded, wrapper: _Thing, facts: PickleFacts, *, depth: int) -> None:
    """Step over the raw bytes that joblib writes after an array's description."""
    state = wrapper.state if isinstance(wrapper.state, dict) else {}
    dtype, shape = state.get("dtype"), state.get("shape")
    code = dtype.arguments[0] if isinstance(dtype, _Thing) and dtype.arguments else None
    if not isinstance(code, str) or not isinstance(shape, tuple):
        raise ValueError("array of unknown type")
    if code.startswith(("O", "|O")):
        if depth > 50:
            raise ValueError("arrays nested too deeply")
        # Arrays of objects are a pickle of their own inside the file.
        _scan(file, facts, depth=depth + 1)
        return
    if "numpy_array_alignment_bytes" in state and state["numpy_array_alignment_bytes"] is not None:
        file.skip(file.read(1)[0])
    sizes = [int(size) for size in shape]
    if any(size < 0 for size in sizes):
        raise ValueError("array of negative size")
    file.skip(math.prod(sizes) * np.dtype(code).itemsize)
