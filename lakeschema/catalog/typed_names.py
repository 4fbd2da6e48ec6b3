"""Names of relations as people type them, over all catalogs of a deployment.

The proposal's five rules (``name_resolution``) apply, with two additions. A key such as
``prod:sales.orders``, as ``str`` of a name writes it, is read, too. A name of two parts never begins
with the default catalog, so a database with the default catalog's name stays reachable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.name_resolution import resolve_parts
from lakeschema.catalog.sessions import CatalogTraits, Levels, Session


@dataclass(frozen=True, slots=True)
class NamingRules:
    """The facts on which the meaning of a typed name depends.

    Attributes:
        folds_case: for each catalog by its name, whether it compares names regardless of case.
        default: the name of the default catalog, which is one of the keys of ``folds_case``.
        current_namespace: the namespace for names of one part; by default the empty one.
    """

    folds_case: Mapping[str, bool]
    default: str
    current_namespace: Levels = ()


def resolve_name(text: str, rules: NamingRules) -> RelationName:
    """The relation that the text means, whether it exists or not.

    Examples are ``prod.sales.eu.orders``, ``prod:sales.eu.orders``, ``hive.shop.orders`` (``hive``
    is the default catalog's name), and ``shop.orders`` in the default catalog.

    Raises:
        MalformedName: the text is not a dotted name.
        SessionRefused: the text before a colon is not a catalog.
    """
    typed = RelationName.from_key(text)
    session = _session(rules)
    if typed.catalog:
        if typed.catalog not in session.catalogs:
            raise session.unknown_catalog(typed.catalog)
        return _name(typed.catalog, typed.namespace, typed.name, rules)
    parts = typed.parts
    if len(parts) == 2 and parts[0] == rules.default:
        parts = (rules.default, *parts)
    resolved = resolve_parts(parts, session)
    identifier = resolved.identifier
    return _name(resolved.catalog, identifier.namespace, identifier.name, rules)


def resolve_known_name(text: str, rules: NamingRules) -> RelationName:
    """The relation that the text means, for callers that only look it up in the state.

    A key may have a catalog that the deployment no longer has: its relations are still stored.

    Raises:
        MalformedName: the text is not a dotted name.
    """
    typed = RelationName.from_key(text)
    if typed.catalog and typed.catalog not in rules.folds_case:
        return typed
    return resolve_name(text, rules)


def typed_text(name: RelationName, rules: NamingRules) -> str:
    """The shortest text that ``resolve_name`` reads as this name.

    It is the name's key, with the default catalog's name if necessary.
    """
    key = str(name)
    if name.catalog or resolve_name(key, rules) == name:
        return key
    return f"{rules.default}:{key}"


def _session(rules: NamingRules) -> Session:
    traits = {
        name: CatalogTraits(
            default_namespace=rules.current_namespace if name == rules.default else (),
            folds_case=folds,
        )
        for name, folds in rules.folds_case.items()
    }
    return Session(traits, rules.default)


def _name(catalog: str, namespace: Levels, name: str, rules: NamingRules) -> RelationName:
    parts = [*namespace, name]
    if rules.folds_case[catalog]:
        parts = [part.lower() for part in parts]
    return RelationName(tuple(parts[:-1]), parts[-1], "" if catalog == rules.default else catalog)
