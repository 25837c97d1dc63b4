"""Addresses of the page: `/rooms/{room}`, `/rooms/{room}/hands/{hand}` and its steps. Pure."""

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, unquote

_WHOLE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class PageLink:
    """What an address of the page names; `epoch` is that of its query."""

    room: str
    hand: int | None = None
    epoch: int | None = None

    @classmethod
    def of(cls, segments: list[str], epoch: str | None = None) -> Self | None:
        """Read the percent-encoded segments after `rooms`; None if the page has no such address.

        >>> PageLink.of(["a%2Fb", "hands", "3", "0"])
        PageLink(room='a/b', hand=3, epoch=None)
        """
        if len(segments) > 1 and not segments[-1]:
            segments = segments[:-1]
        try:
            room = unquote(segments[0], errors="strict") if segments else ""
        except UnicodeDecodeError:
            return None
        if not room:
            return None
        match segments[1:]:
            case []:
                return cls(room)
            case ["hands", hand] | ["hands", hand, _] if _number(hand) and all(
                map(_WHOLE.fullmatch, segments[2:])
            ):
                return cls(room, _number(hand), _number(epoch or ""))
        return None

    @property
    def path(self) -> str:
        """The path after that of the lobby, for every step of a hand the same."""
        path = f"/rooms/{quote(self.room, safe='')}"
        return path if self.hand is None else f"{path}/hands/{self.hand}"

    @property
    def query(self) -> str:
        """The query with its question mark, if there is one."""
        return "" if self.epoch is None else f"?epoch={self.epoch}"


def _number(text: str) -> int | None:
    """Return a number from 1, None if the text is none."""
    return (int(text) or None) if _WHOLE.fullmatch(text) else None
