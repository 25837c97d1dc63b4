"""The setting that lists sample bots: `Tight=http://127.0.0.1:4101,Maniac=http://…`."""

from typing import Annotated, Any

from casino_contracts import SampleBot
from pydantic import BeforeValidator, Field

_MOST = 50
_FORM = "must be a list of names and card URLs such as Tight=http://127.0.0.1:4101"


def _bots(value: Any) -> Any:
    """Return the bots of a list as text; other values are returned unchanged."""
    if not isinstance(value, str):
        return value
    bots = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        name, equals, url = part.partition("=")
        if not equals or not name.strip():
            raise ValueError(_FORM)
        bots.append({"name": name.strip(), "agentCardUrl": url.strip()})
    return tuple(bots)


SampleBots = Annotated[tuple[SampleBot, ...], Field(max_length=_MOST), BeforeValidator(_bots)]
"""Bots that the page offers for free seats."""
