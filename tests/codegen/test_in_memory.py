from __future__ import annotations

import sys

from tests.codegen.generated import imported_modules


def test_a_package_within_namespaces_is_imported_and_gone_afterwards() -> None:
    files = {
        "outer_space/inner/package/__init__.py": b"from .module import VALUE",
        "outer_space/inner/package/module.py": b"VALUE = 7",
    }

    with imported_modules(files, "outer_space.inner.package") as package:
        assert package.VALUE == 7

    assert not any(name.startswith("outer_space") for name in sys.modules)
