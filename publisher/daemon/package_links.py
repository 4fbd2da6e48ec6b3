"""The links in each package: links from the settings, and links to the service's pages.

Renovate, Dependabot and indexes find a changelog by the link labels of PEP 753. Links are not part of a
package's content, so a changed address publishes no version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from publisher.settings import Settings, StaticIndexSettings

_OWN = {"Homepage": "/packages/{name}", "Changelog": "/packages/{name}#versions"}
_ALIASES = {"changes": "changelog", "whatsnew": "changelog", "history": "changelog"}


def package_links(settings: Settings) -> Mapping[str, str]:
    """Links by label; the caller fills in ``{name}`` and ``{relation}``.

    The service's pages have a known address if ``http.public_url`` is set. A link in the settings
    replaces the service's link with the same meaning.
    """
    chosen = settings.artifacts.project_urls
    http = settings.http
    has_pages = http.enabled and isinstance(settings.index, StaticIndexSettings)
    if http.public_url is None or not has_pages:
        return chosen
    taken = {_meaning(label) for label in chosen}
    address = http.public_url.rstrip("/")
    own = {label: address + path for label, path in _OWN.items() if _meaning(label) not in taken}
    return MappingProxyType({**own, **chosen})


def _meaning(label: str) -> str:
    plain = re.sub(r"[^a-z0-9]", "", label.lower())
    return _ALIASES.get(plain, plain)
