"""The modules of ``codegen.runtime`` to the few files that packages contain: a step of building this program.

``make runtime`` writes ``codegen/packed_runtime``, which is committed, so that generating a package
joins and prints nothing, and so that all versions of Python give the same bytes.
"""
