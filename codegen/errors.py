"""The reasons why a schema or a name is unfit for generation.

CodegenError
├── IllegalPrefix        a distribution prefix that an index would refuse
├── IllegalVersion       a version that is not a plain PEP 440 release
├── UnfitSchema          a schema whose values cannot be laid out in Python
├── IllegalDefault       a field's default that is not a value of its type
├── UnheldDefault        a valid default that Python cannot represent
└── NotOurWheel          bytes that are not a wheel of this generator
"""

from __future__ import annotations


class CodegenError(Exception):
    """The root of the package's errors; ``hint`` says what a person can do."""

    hint: str = ""


class IllegalPrefix(CodegenError):
    hint = "write lower-case words joined by hyphens, such as acme-schema, 40 characters at most"

    def __init__(self, prefix: str) -> None:
        super().__init__(prefix)
        self.prefix = prefix

    def __str__(self) -> str:
        return f"{self.prefix!r} is not a distribution prefix"


class IllegalVersion(CodegenError):
    hint = "write a release such as 1.4.0"

    def __init__(self, version: str) -> None:
        super().__init__(version)
        self.version = version

    def __str__(self) -> str:
        return f"{self.version!r} is not a release version"


class UnfitSchema(CodegenError):
    hint = "correct the schema where it is declared; until then no package is generated from it"

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(where, reason)
        self.where = where
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


class IllegalDefault(CodegenError):
    hint = "correct the default where the schema is declared"

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(where, reason)
        self.where = where
        self.reason = reason

    def __str__(self) -> str:
        return f"default of {self.where}: {self.reason}"


class UnheldDefault(CodegenError):
    """Python cannot represent a default, such as a timestamp after the year 9999.

    The attribute then has no default.
    """


class NotOurWheel(CodegenError):
    hint = "the index holds a file of this name that another program made; remove it or rename it"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"not a wheel of this generator: {self.reason}"
