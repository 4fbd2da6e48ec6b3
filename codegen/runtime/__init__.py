"""What every generated package contains a copy of, so that it has no dependencies at run time.

Packages contain it as ``codegen.runtime_packing`` packs it, in few files: ``make runtime``, after each change.
"""
