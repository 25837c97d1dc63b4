"""What every problem type has."""

from enum import Enum


class ProblemKind(Enum):
    """HTTP status, title and page text of a problem type; its name makes the end of `type`.

    `retry_after` is the default `Retry-After` in seconds, None if a retry does not help.
    """

    def __init__(self, status: int, title: str, page: str, retry_after: int | None = None) -> None:
        self.status, self.title, self.meaning, self.retry_after = status, title, page, retry_after

    @property
    def slug(self) -> str:
        """Name in URLs."""
        return self.name.lower().replace("_", "-")

    @property
    def path(self) -> str:
        """Path of its page; the `type` of its problem documents."""
        return f"/problems/{self.slug}"
