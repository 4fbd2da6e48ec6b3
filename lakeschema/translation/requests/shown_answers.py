"""An answer as text for people: the part to copy, and the details apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def shown_answer(answer: Mapping[str, Any]) -> tuple[str, str]:
    """The main text of ``batch.answer``, and the rest as JSON, or ""."""
    match answer:
        case {"error": {"message": str(message)} as error}:
            said = f"{error['type']}: {message}"
            hint = error.get("hint", "")
            return f"{said}\n{hint}" if hint else said, ""
        case {"result": str(text)}:
            return text, ""
        case {"result": {"sql": str(text), **rest}}:
            return text, _printed(rest)
        case {"result": {"statements": list(statements), "defines": list(defines), **rest}}:
            return "\n".join((*defines, *statements)), _printed(rest)
        case _:
            return _printed(answer["result"]), ""


def _printed(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
