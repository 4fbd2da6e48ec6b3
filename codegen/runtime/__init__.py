"""The runtime: every generated package contains a copy, so that it has no dependencies.

``codegen.runtime_packing`` packs it into few files; run ``make runtime`` after each change.
"""
