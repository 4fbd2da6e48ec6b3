"""A build step: packs the modules of ``codegen.runtime`` into the few files of a package.

``make runtime`` writes ``codegen/packed_runtime``, which is committed. So generating a package
joins and prints nothing, and all versions of Python give the same bytes.
"""
