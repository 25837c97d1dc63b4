"""Game specifications at run time: discovery, parsing and validation of messages.

>>> lobby = Lobby(http, "http://127.0.0.1:4000", timeout=timedelta(seconds=5))
>>> specifications = Specifications(lobby, clock=time.monotonic)
>>> spec = await specifications.find("kuhn_poker", "1.0.0")
>>> spec.check_state(request.state)
()
"""

from casino_gamespec.choice import answer, default_action, is_offered, random_action
from casino_gamespec.errors import (
    GameNotOffered,
    GameSpecError,
    InvalidSpecification,
    InvalidVersion,
    LobbyUnavailable,
    VersionNotServed,
)
from casino_gamespec.front_matter import FrontMatter, Version
from casino_gamespec.game_spec import GameSpec, Schema, SchemaFault
from casino_gamespec.spec_cache import Specifications
from casino_gamespec.spec_discovery import DiscoveredGame, FetchedDocument, Lobby

__all__ = [
    "DiscoveredGame",
    "FetchedDocument",
    "FrontMatter",
    "GameNotOffered",
    "GameSpec",
    "GameSpecError",
    "InvalidSpecification",
    "InvalidVersion",
    "Lobby",
    "LobbyUnavailable",
    "Schema",
    "SchemaFault",
    "Specifications",
    "Version",
    "VersionNotServed",
    "answer",
    "default_action",
    "is_offered",
    "random_action",
]
