"""Versions of players: what a name stood for when the plan was written, and whether it still does.

A function's version is the hash of its files, a style's that of all styles' files, and an agent's
that of its card, which a callback reads.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from casino_match.domain.plan import Entrant, Plan
from casino_match.domain.plan_file_entrants import is_function, is_remote
from casino_match.errors import InvalidPlan, PlayerFailed
from casino_match.store.player_files import function_version, style_version

CardVersion = Callable[[Entrant], str]
"""Returns the version of an agent; raises PlayerFailed."""


def no_agents(entrant: Entrant) -> str:
    """Stand for the versions of agents in a match without any; raises PlayerFailed."""
    raise PlayerFailed(f"players: {entrant.name} is an agent, whose card cannot be read here")


def version_of(entrant: Entrant, folder: Path, card_version: CardVersion = no_agents) -> str:
    """Return the version that a player has now; raises PlayerFailed."""
    if is_remote(entrant.player):
        return card_version(entrant)
    if is_function(entrant.player):
        return function_version(folder, entrant.player)
    return style_version()


def with_versions(plan: Plan, folder: Path, card_version: CardVersion = no_agents) -> Plan:
    """Return the plan with the versions of all players.

    Raises PlayerFailed, and InvalidPlan if the plan names another version than the player has.
    """
    for change in changes(plan, folder, card_version):
        raise InvalidPlan(f"{change}. Remove `version` from the plan, or restore the player")
    players = tuple(
        entrant.model_copy(update={"version": version_of(entrant, folder, card_version)})
        for entrant in plan.players
    )
    return plan.model_copy(update={"players": players})


def check_unchanged(plan: Plan, folder: Path, card_version: CardVersion = no_agents) -> None:
    """Raise InvalidPlan if a player is no longer what it was when the plan was written."""
    for change in changes(plan, folder, card_version):
        raise InvalidPlan(
            f"{change}. A match is played by one version of each player: restore it and run the"
            " command again, or begin a new match with --fresh"
        )


def changes(plan: Plan, folder: Path, card_version: CardVersion) -> Iterator[str]:
    """Yield a sentence, without its full stop, for each player that has changed."""
    for number, entrant in enumerate(plan.players):
        if entrant.version is None:
            continue
        now = version_of(entrant, folder, card_version)
        if now != entrant.version:
            yield (
                f"players.{number}.version: {entrant.player} ({entrant.name}) has changed:"
                f" the plan has {entrant.version[:15]}…, now it is {now[:15]}…"
            )
