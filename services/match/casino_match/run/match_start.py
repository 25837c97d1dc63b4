"""Begin a match, or find the match that a command continues, if its players are still the same.

A function's version is the hash of its files, a style's that of all styles' files, and an agent's
that of its card, which a callback reads.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from casino_match.domain.plan import Entrant, Plan
from casino_match.domain.plan_file import (
    complete,
    is_function,
    is_remote,
    merged,
    plan_of,
    values_of,
)
from casino_match.errors import InvalidPlan, PlayerFailed, StoreFailed
from casino_match.match_directory import MatchDirectory, WrittenPlan
from casino_match.player_files import function_version, style_version

CardVersion = Callable[[Entrant], str]
"""Returns the version of an agent; raises PlayerFailed."""

MATCHES: Final = Path("matches")
_DIGEST_DIGITS: Final = 8
_ALGORITHM: Final = "sha256:"
_SEED_BYTES: Final = 16


def draw_seed() -> str:
    """Return a seed for a plan without one."""
    return secrets.token_hex(_SEED_BYTES)


def read_values(path: Path) -> dict[str, Any]:
    """Return the values of a plan's file, or of a league's; raises InvalidPlan."""
    try:
        return values_of(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not in UTF-8"
        raise InvalidPlan(f"{path} cannot be read: {reason}") from error
    except InvalidPlan as error:
        raise InvalidPlan(f"{path}: {error}") from error


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
    """Return the plan with all versions; raises PlayerFailed, InvalidPlan where one differs."""
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


@dataclass(frozen=True, slots=True)
class StartedMatch:
    """A match whose plan is written."""

    directory: MatchDirectory
    written: WrittenPlan
    is_resumed: bool


@dataclass(frozen=True, slots=True)
class MatchStarter:
    """Begins matches: writes each plan before its first card."""

    draw_seed: Callable[[], str]
    card_version: CardVersion = no_agents
    matches: Path = MATCHES
    """The folder of matches whose directory nobody names."""

    def begin(
        self,
        values: Mapping[str, Any],
        folder: Path,
        out: Path | None = None,
        *,
        is_fresh: bool = False,
    ) -> StartedMatch:
        """Write a plan or find its match, with any seed unless `is_fresh`; raises MatchError."""
        completed = complete(values)
        deal = completed.get("deal", {})
        has_seed = isinstance(deal, Mapping) and "seed" in deal
        requested = plan_of(completed if has_seed else merged(completed, {"deal": {"seed": "any"}}))
        if not has_seed and not is_fresh:
            earlier = self._earlier(requested, folder, out)
            if earlier is not None:
                return earlier
        if not has_seed:
            requested = _with_seed(requested, self.draw_seed())
        plan = with_versions(requested, folder, self.card_version)
        directory = MatchDirectory(out or self.matches / directory_name(plan))
        if is_fresh:
            directory.clear()
        is_there = directory.read_plan() is not None
        there = directory.begin(WrittenPlan(plan, folder.resolve()))
        if there.plan == plan:
            return StartedMatch(directory, WrittenPlan(plan, folder), is_resumed=is_there)
        return self._resumed(directory, there, requested, folder, has_seed=has_seed)

    def resume(self, path: Path) -> StartedMatch:
        """Return the match of a directory; raises StoreFailed, PlayerFailed, InvalidPlan."""
        directory = MatchDirectory(path)
        there = directory.read_plan()
        if there is None:
            raise StoreFailed(f"{path} holds no match: there is no {directory.plan_file}")
        if directory.read_result() is None:
            check_unchanged(there.plan, there.folder, self.card_version)
        return StartedMatch(directory, there, is_resumed=True)

    def _earlier(self, requested: Plan, folder: Path, out: Path | None) -> StartedMatch | None:
        """Return the newest match but for the seed; with changed players only one under way."""
        for directory in [MatchDirectory(out)] if out else self._newest_first():
            try:
                there = directory.read_plan()
            except StoreFailed:
                if out is not None:
                    raise
                continue  # another match's damaged plan
            if there is None or _but_versions(_with_seed(there.plan, requested.deal.seed)) != (
                _but_versions(requested)
            ):
                continue
            has_changed = any(True for _ in changes(there.plan, folder, self.card_version))
            if has_changed and out is None and not _is_under_way(directory, there.plan):
                continue
            return self._resumed(directory, there, requested, folder, has_seed=False)
        return None

    def _resumed(
        self, directory: MatchDirectory, there: WrittenPlan, requested: Plan, folder: Path, *,
        has_seed: bool,
    ) -> StartedMatch:  # fmt: skip
        """Check that the match in a directory is the wished one; raises InvalidPlan."""
        plan = there.plan if has_seed else _with_seed(there.plan, requested.deal.seed)
        if _but_versions(plan) != _but_versions(requested):
            fields = ", ".join(_differences(_but_versions(plan), _but_versions(requested)))
            raise InvalidPlan(
                f"{directory.path} holds a match with another plan (other {fields}):"
                " name another directory with --out, or replace the match with --fresh"
            )
        check_unchanged(there.plan, folder, self.card_version)
        return StartedMatch(directory, WrittenPlan(there.plan, folder), is_resumed=True)

    def _newest_first(self) -> list[MatchDirectory]:
        plans = [path for path in self.matches.glob("*/plan.json") if path.is_file()]
        plans.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
        return [MatchDirectory(path.parent) for path in plans]


def directory_name(plan: Plan) -> str:
    """Return the name of a match's directory: its own, and the start of its digest."""
    name = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-"
        for letter in plan.name
    )
    return f"{name.lstrip('.') or 'match'}-{plan.digest.removeprefix(_ALGORITHM)[:_DIGEST_DIGITS]}"


def _is_under_way(directory: MatchDirectory, plan: Plan) -> bool:
    blocks = directory.blocks(plan)
    return directory.read_result() is None and any(map(blocks.has, range(plan.blocks)))


def _with_seed(plan: Plan, seed: str) -> Plan:
    return plan.model_copy(update={"deal": plan.deal.model_copy(update={"seed": seed})})


def _but_versions(plan: Plan) -> Plan:
    players = tuple(entrant.model_copy(update={"version": None}) for entrant in plan.players)
    return plan.model_copy(update={"players": players})


def _differences(first: Plan, second: Plan) -> list[str]:
    here, there = first.model_dump(mode="json"), second.model_dump(mode="json")
    return [name for name in here if here[name] != there[name]]
