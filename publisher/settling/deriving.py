from __future__ import annotations

import json

from lakeschema.translation.deriving.derivation_json import derivation_from_json, derivation_to_json
from lakeschema.translation.model.interface import Derivation


def derivation_to_text(derivation: Derivation) -> str:
    return json.dumps(derivation_to_json(derivation), separators=(",", ":"))


def derivation_from_text(text: str) -> Derivation:
    return derivation_from_json(json.loads(text))
