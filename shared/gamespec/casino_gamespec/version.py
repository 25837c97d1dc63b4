"""Semantic versions of game specifications: MAJOR breaks, MINOR adds."""

import re
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Self

from casino_gamespec.errors import InvalidVersion

_PATTERN = re.compile(
    r"v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?"
)


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A semantic version; missing parts are 0, because A2G's own example has `1.0`.

    >>> Version.parse("1.10") > Version.parse("1.9.3")
    True
    """

    major: int
    minor: int = 0
    patch: int = 0
    prerelease: str = field(default="")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a version, ignoring build metadata. Raises InvalidVersion."""
        match = _PATTERN.fullmatch(text.strip())
        if match is None:
            raise InvalidVersion(f"version {text!r:.60} must be MAJOR.MINOR.PATCH, such as 1.0.0")
        major, minor, patch, prerelease = match.groups(default="")
        return cls(int(major), int(minor or 0), int(patch or 0), prerelease)

    def serves(self, wanted: "Version") -> bool:
        """Return whether a specification of this version describes messages of the wanted one.

        True for the same or a later version of the same MAJOR: MINOR adds only optional parts.
        """
        return self.major == wanted.major and self >= wanted

    def __lt__(self, other: "Version") -> bool:
        return self._key() < other._key()

    def __str__(self) -> str:
        suffix = f"-{self.prerelease}" if self.prerelease else ""
        return f"{self.major}.{self.minor}.{self.patch}{suffix}"

    def _key(self) -> tuple[object, ...]:
        # A release sorts after its pre-releases, and words after numbers.
        parts = tuple(
            (0, int(part), "") if part.isdecimal() else (1, 0, part)
            for part in self.prerelease.split(".")
            if part
        )
        return (self.major, self.minor, self.patch, not self.prerelease, parts)
