"""Plugins of the deployment that say what user-defined functions return.

A plugin is a function ``resolve(class_name, dependencies)``; see ``UdfResolver``. The deployment
installs the plugin and names it by an entry point of ``GROUP``, or as ``module:callable``. Text from
a metastore reaches a plugin only as arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points

from lakeschema.translation.model.interface import (
    ResolverFailure,
    Returns,
    ReturnsArgument,
    ReturnsRows,
    UdfAnswer,
)

GROUP = "schema_publisher.udfs"

_REFERENCE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_MAX_KNOWN = 10_000

Plugin = Callable[[str, tuple[str, ...]], object]


class UnusablePlugin(Exception):
    def __init__(self, reference: str, reason: str) -> None:
        super().__init__(reference, reason)
        self.reference = reference
        self.reason = reason

    def __str__(self) -> str:
        return f"UDF plugin {self.reference} cannot be used: {self.reason}"


def is_reference(text: str) -> bool:
    return _REFERENCE.fullmatch(text) is not None


def installed_references() -> tuple[str, ...]:
    """The installed entry points as ``module:callable``, in order of their names."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
    return tuple(dict.fromkeys(entry.value for entry in found))


def load_plugin(reference: str) -> Plugin:
    """Imports the plugin that a deployment names.

    Raises:
        UnusablePlugin: the plugin cannot be imported, or is not callable.
    """
    if not is_reference(reference):
        raise UnusablePlugin(reference, "expected module:callable")
    try:
        found = EntryPoint(name=reference, value=reference, group=GROUP).load()
    except Exception as error:  # the module may raise any exception when it is imported
        raise UnusablePlugin(reference, f"{type(error).__name__}: {error}") from error
    if not callable(found):
        raise UnusablePlugin(reference, "it is not callable")
    plugin: Plugin = found
    return plugin


@dataclass(frozen=True)
class PluginResolver:
    """Calls plugins in their order until one knows the class; a ``UdfResolver``.

    It keeps answers, so that a derivation agrees with the hash of its inputs. It does not keep
    failures, and asks again about classes that no plugin knew. Pickles contain only the plugins'
    references.
    """

    references: tuple[str, ...]
    _plugins: dict[str, Plugin] = field(default_factory=dict, compare=False, repr=False)
    _known: dict[tuple[str, tuple[str, ...]], UdfAnswer] = field(
        default_factory=dict, compare=False, repr=False
    )

    def __reduce__(self) -> tuple[type[PluginResolver], tuple[tuple[str, ...]]]:
        return PluginResolver, (self.references,)

    def __call__(self, class_name: str, dependencies: tuple[str, ...], /) -> UdfAnswer | None:
        key = (class_name, dependencies)
        known = self._known.get(key)
        if known is not None:
            return known
        for reference in self.references:
            answer = self._ask(reference, class_name, dependencies)
            if isinstance(answer, ResolverFailure):
                return answer
            if answer is not None:
                if len(self._known) >= _MAX_KNOWN:
                    self._known.clear()
                return self._known.setdefault(key, answer)
        return None

    def load(self) -> None:
        """Imports every plugin now.

        Raises:
            UnusablePlugin: for the first plugin that cannot be imported.
        """
        for reference in self.references:
            self._plugins[reference] = load_plugin(reference)

    def _ask(
        self, reference: str, class_name: str, dependencies: tuple[str, ...]
    ) -> UdfAnswer | None:
        try:
            plugin = self._plugins.get(reference) or load_plugin(reference)
            self._plugins[reference] = plugin
            answer = plugin(class_name, dependencies)
        except UnusablePlugin as error:
            return ResolverFailure(str(error))
        except Exception as error:  # noqa: BLE001 (whatever its type, it fails views of this class only)
            return ResolverFailure(
                f"plugin {reference} failed with {type(error).__name__}: {error!s:.300}"
            )
        if answer is None or isinstance(answer, (Returns, ReturnsArgument, ReturnsRows)):
            return answer
        return ResolverFailure(
            f"plugin {reference}: expected Returns, ReturnsArgument, ReturnsRows or None,"
            f" got {answer!r:.100}"
        )
