from __future__ import annotations


class SettingsError(Exception):
    """The error for wrong settings.

    ``problems``: one line for each wrong setting, with its name and where it was read.
    """

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)
