"""Entrypoints of each role, and the custom names allowed for them.

A peer may choose the names of its entrypoints: `signupSkill`, `actionSkill`, `tableAgentSkills`.
A name must not make the caller invoke another command: a "player" whose sign-up is named
`closeTable` would make the lobby close a table.
"""

from collections.abc import Callable
from typing import Annotated, Final, Literal, get_args

from pydantic import AfterValidator, Field

Skill = Literal[
    # a player's
    "signup", "act", "notify",
    # a table's
    "configureTable", "registerPlayer", "startGame", "leaveTable", "tableSummary", "handRecord",
    "closeTable",
    # a lobby's; registerPlayer, too
    "createRoom", "leaveRoom", "startRoom", "listRooms", "registerTable", "recordGameEvent",
    "recordTableEvents",
    # that of a service of matches
    "runMatch",
]  # fmt: skip

SKILLS: Final[frozenset[str]] = frozenset(get_args(Skill))
_RESERVED: Final = frozenset(skill.lower() for skill in SKILLS)


def may_be_called(purpose: Skill, name: str) -> bool:
    """Return whether an entrypoint may have a name: its own, or one that is not reserved.

    >>> may_be_called("signup", "join"), may_be_called("signup", "closeTable")
    (True, False)
    """
    return name == purpose or name.lower() not in _RESERVED


def _named(purpose: Skill) -> Callable[[str], str]:
    def check(name: str) -> str:
        if not may_be_called(purpose, name):
            raise ValueError(f"must not be the name of another entrypoint; the usual is {purpose}")
        return name

    return check


_Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=128,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:~/-]*$",
        description="Letters, digits and . _ : ~ / -, starting with a letter or digit.",
    ),
]
SignupSkill = Annotated[_Name, AfterValidator(_named("signup"))]
ActionSkill = Annotated[_Name, AfterValidator(_named("act"))]
ConfigureSkill = Annotated[_Name, AfterValidator(_named("configureTable"))]
RegisterSkill = Annotated[_Name, AfterValidator(_named("registerPlayer"))]
StartSkill = Annotated[_Name, AfterValidator(_named("startGame"))]
SummarySkill = Annotated[_Name, AfterValidator(_named("tableSummary"))]
EventSkill = Annotated[_Name, AfterValidator(_named("recordGameEvent"))]
