"""What every generated package contains a copy of, so that it has no dependencies at run time.

The copy lacks comments and most docstrings; each statement is on the line that the original has it on.
"""
