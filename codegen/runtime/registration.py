"""Tells Hypothesis, if the program has it, how to draw a package's records."""

from __future__ import annotations

import importlib
import sys

# Type checkers know the name; to import ``typing`` takes longer than the rest of a package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def register_strategies(records: Iterable[Any], strategy: Callable[[Any], Any]) -> None:
    """Registers ``strategy`` for each class; Hypothesis calls it when it first draws from the class.

    The annotations of constructors' parameters get strategies, too, because ``st.builds`` reads them.
    """
    strategies = sys.modules.get("hypothesis.strategies")
    register = getattr(strategies, "register_type_strategy", None)
    if register is None:
        # Hypothesis is not imported yet. If the program imports it, its entry point calls this function.
        return
    for record in records:
        register(record, strategy)
        annotations = record.__init__.__annotations__
        if any("__drawn__(" in text for text in annotations.values()):
            continue
        vars(sys.modules[record.__module__])["__drawn__"] = _drawn
        for name in record.__slots__:
            place = f"{record.__name__}, {name!r}"
            annotations[name] = f"__typing__.Annotated[{annotations[name]}, __drawn__({place})]"


def _drawn(record: Any, attribute: str) -> Any:
    """The strategy of one attribute, made when Hypothesis first draws from it."""
    strategies = importlib.import_module(".strategies", __package__)
    return strategies.strategy_of_attribute(record, attribute)
