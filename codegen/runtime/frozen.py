"""The parts that make records immutable: frozen values and shared methods."""

from __future__ import annotations

import sys

# Python always loads ``_collections_abc`` at start-up, but not always ``collections.abc``.
from _collections_abc import Mapping, Sequence

from .errors import InvalidValue

# Type checkers know the name; to import ``typing`` takes longer than the rest of a package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn


class FrozenMap(dict[str, "Any"]):
    """An immutable dict, hashable where its values are."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]  # a dict is unhashable
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenMap, (dict(self),)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the map of an immutable record cannot be changed; dict(…) makes a copy")

    if not TYPE_CHECKING:
        __setitem__ = __delitem__ = __ior__ = _refuse
        clear = pop = popitem = setdefault = update = _refuse


def items_in(value: Any) -> Iterable[Any] | None:
    """The items of a sequence or numpy array; None for text and any other value."""
    if isinstance(value, (list, tuple)):
        # A row of ``rows`` is a tuple that shows no items.
        return value if type(value).__iter__ is not None else None
    if isinstance(value, Sequence):
        return None if _is_text(value) else value
    # A program with a numpy array has imported numpy.
    array = getattr(sys.modules.get("numpy"), "ndarray", None)
    if array is None or not isinstance(value, array) or not value.ndim:
        return None
    # ``tolist`` would turn times into numbers.
    return value.tolist() if value.dtype.kind in "biuf" else list(value)


def _is_text(value: Sequence[Any]) -> bool:
    # A program with a ``UserString`` has imported its module. Its items are ``UserString``s, too.
    users = getattr(sys.modules.get("collections"), "UserString", str)
    return isinstance(value, (*_TEXT, users))


_TEXT = (str, bytes, bytearray, memoryview)
_LEAVES = frozenset({str, int, float, bool, bytes, type(None)})


def freeze(value: Any) -> Any:
    """The value with tuples for sequences and ``FrozenMap`` for mappings, at every depth.

    Raises:
        InvalidValue: the value is nested too deeply, or contains itself.
    """
    if type(value) in _LEAVES:
        return value
    try:
        if isinstance(value, Mapping):
            return FrozenMap((key, freeze(item)) for key, item in value.items())
        items = items_in(value)
        return value if items is None else tuple(map(freeze, items))
    except RecursionError:
        raise InvalidValue("", "the value is nested too deeply, or contains itself") from None


def refuse_change(self: object, name: str, _: object) -> None:
    """``__setattr__`` of immutable records."""
    kind = type(self).__name__
    raise AttributeError(f"{kind} is immutable: {name} cannot be set; replace() makes a copy")


def refuse_deletion(self: object, name: str) -> None:
    """``__delattr__`` of immutable records."""
    raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be deleted")


def refuse_subclass(cls: type, **_: object) -> None:
    """``__init_subclass__`` of immutable records: a subclass could add mutable state."""
    raise TypeError(f"{cls.__name__}: immutable records cannot be subclassed")


def restore(self: object, state: tuple[None, dict[str, object]]) -> None:
    """``__setstate__`` of immutable records, for pickles and copies."""
    for name, value in state[1].items():
        object.__setattr__(self, name, value)
