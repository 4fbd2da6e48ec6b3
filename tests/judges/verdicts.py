"""How a question to a judge ended, in the same words for every engine.

The text that we emit for an engine is compared with the view's own engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lakeschema.translation.model.errors import TooLarge, TranslationError, Unsupported

EQUAL: Final = "equal rows"
ONE_PLAN: Final = "equal rows, since Spark makes one plan of both texts"
NOT_BEFOREHAND: Final = "equal rows, once Spark computes nothing while it plans"
WITHOUT_RULES: Final = "equal rows, once the view's own engine optimises nothing"
APPENDED: Final = "equal rows, appended"
MERGED: Final = "equal rows, merged"
UNCHANGED: Final = "equal rows, unchanged"
OF_STORED: Final = "equal rows, of the stored view"
ANY_ORDER: Final = "equal rows, but for the order in a set"
NO_ROWS: Final = "equal, without rows"
EQUAL_TYPES: Final = "equal types"
PRUNED: Final = "the view's own engine raises over what the other proves that it need not compute"
BOTH_RAISE: Final = "both raise an error"
UNDETERMINED: Final = "the rows depend on the order of the tables' rows"
NOT_BY_POLICIES: Final = "nothing leaked, what is written without policies has other rows, too"
NO_REFERENCE: Final = "nothing leaked, the view over masked tables is refused"
NOT_PRINTED: Final = "a column of binaries, which Hive prints as texts"
RAISES: Final = "not compared: the view's own text raises an error"
TOO_MANY: Final = "not compared: too many rows to compute"
NOT_COMPARED: Final = "not compared: the view's own text raises an error, or takes too long"
NOT_ASKED: Final = "not asked"
OF_A_VARIABLE: Final = "not asked: a session variable, which Spark lets no stored view read"
WITHOUT_ALIAS: Final = "not asked: a column without a name"
NOT_STORED: Final = "not compared: the engine cannot store such rows"
NOT_READ: Final = "refused by the view's own engine"
BOTH_REFUSE: Final = "refused by both"
UNSUPPORTED: Final = "refused: the engine has nothing that does the same"
NOT_DERIVED: Final = "refused: the view cannot be derived"
NOT_REFRESHED: Final = "refused: the inserted rows do not say it"
NOT_SUBSTITUTED: Final = "refused: no part follows from the stored view"
NOT_ENFORCED: Final = "refused: the policy cannot be enforced"
FAILS: Final = "refused when it is run, with the reason"
ENGINE_FAILS: Final = "the engine fails itself, with an internal error"

REFUSED: Final = frozenset({UNSUPPORTED, NOT_DERIVED, FAILS})
ASKED: Final = REFUSED | {EQUAL, NOT_BEFOREHAND, WITHOUT_RULES, PRUNED, BOTH_RAISE}
"""Outcomes that count: the view's own engine reads the view, and its rows are determined."""
REFRESHED: Final = frozenset({APPENDED, MERGED, UNCHANGED})
_FINE: Final = (
    ASKED
    | REFRESHED
    | {ONE_PLAN, OF_STORED, ANY_ORDER, NO_ROWS, EQUAL_TYPES}
    | {UNDETERMINED, NOT_BY_POLICIES, NO_REFERENCE, NOT_PRINTED, RAISES, TOO_MANY, NOT_COMPARED}
    | {NOT_ASKED, OF_A_VARIABLE, WITHOUT_ALIAS, NOT_STORED, NOT_READ, BOTH_REFUSE}
    | {NOT_REFRESHED, NOT_SUBSTITUTED, NOT_ENFORCED, ENGINE_FAILS}
)

OTHER_ROWS: Final = "other rows"
OTHER_ORDER: Final = "another order"
OTHER_TYPES: Final = "other types"
OTHER_NAMES: Final = "other names"
CRASHES: Final = "our code crashes"
NULL_IN_REQUIRED: Final = "null in a required column"
REFUSED_BY_US: Final = "refused by us only"
REFUSED_TEXT: Final = "the engine refuses the text"
RAISES_ALONE: Final = "the text alone raises an error"
DOES_NOT_RAISE: Final = "rows where the view's own engine raises an error"
LEAK: Final = "a masked value leaked"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a question ended.

    Attributes:
        outcome: one of the constants above, or another fault.
        details: evidence of a fault, or the reason of a refusal.
        constructs: the generator's constructs that the view contains.
    """

    outcome: str
    details: str = ""
    constructs: tuple[str, ...] = ()

    @property
    def is_wrong(self) -> bool:
        return self.outcome not in _FINE


def refusal(error: TranslationError) -> Verdict:
    """The verdict on our refusal of a view that its own engine reads."""
    is_unsupported = isinstance(error, Unsupported | TooLarge)
    return Verdict(UNSUPPORTED if is_unsupported else NOT_DERIVED, error.message)
