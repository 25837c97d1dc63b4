"""The folder of a league: its plans or `league.toml`, the matches that are played, and the table.

```
DIR/league.toml          players and common rules, or instead of it
DIR/*.toml               plans of matches between two players, or instead of both
DIR/*.py                 bots, every two of which play by the common rules
DIR/seed.txt             what the decks follow from where no plan has a seed
DIR/matches/…            a directory for each match
DIR/league.json          the table
```
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from casino_contracts.match_results import League

from casino_match.domain.plan import Plan
from casino_match.errors import InvalidPlan
from casino_match.leagues.league_order import PROVISIONAL_BELOW, LeagueOrder, file_plans, pair_plans
from casino_match.match_directory import create_file, read_file, replace_file
from casino_match.run.match_start import (
    CardVersion,
    directory_name,
    no_agents,
    read_values,
    with_versions,
)

_LEAGUE: Final = "league.toml"
_LONGEST_NAME: Final = 64


class LeagueFolder:
    """The files of a league."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.table = path / "league.json"
        self._seed = path / "seed.txt"

    def read(
        self,
        over: Mapping[str, Any],
        draw_seed: Callable[[], str],
        card_version: CardVersion = no_agents,
    ) -> LeagueOrder:
        """Return what the folder says, under `over`; raises a MatchError."""
        if not self.path.is_dir():
            raise InvalidPlan(f"{self.path} is no folder: write {_LEAGUE} with `players` into one")
        seed = self._kept_seed(draw_seed)
        name = self.path.resolve().name
        plan_files = sorted(path.name for path in self.path.glob("*.toml"))
        bots = sorted(path.name for path in self.path.glob("*.py"))
        if _LEAGUE in plan_files or (bots and not plan_files):
            values = read_values(self.path / _LEAGUE) if plan_files else {"players": bots}
            try:
                plans = pair_plans(values, over, seed)
            except InvalidPlan as error:
                file = self.path / _LEAGUE if plan_files else self.path
                raise InvalidPlan(f"{file}: {error}") from error
            name = _text(values, "name", name)
            below = _whole(values, "provisional_below", PROVISIONAL_BELOW)
            return LeagueOrder(name, self._with_versions(plans, card_version), below)
        if not plan_files:
            raise InvalidPlan(
                f"{self.path} has no plan and no bots: write {_LEAGUE} with `players`, a plan for"
                " each match, or the files of the bots"
            )
        plans = file_plans({file: read_values(self.path / file) for file in plan_files}, over, seed)
        return LeagueOrder(name[:_LONGEST_NAME], self._with_versions(plans, card_version))

    def match(self, plan: Plan) -> Path:
        """Return the directory of a match; that of another version of a player is another one."""
        return self.path / "matches" / directory_name(plan)

    def write(self, league: League) -> None:
        """Write the table; raises StoreFailed."""
        replace_file(self.table, league.wire() + b"\n")

    def _with_versions(self, plans: list[Plan], card_version: CardVersion) -> tuple[Plan, ...]:
        return tuple(with_versions(plan, self.path, card_version) for plan in plans)

    def _kept_seed(self, draw_seed: Callable[[], str]) -> str:
        kept = read_file(self._seed)
        if kept is None:
            create_file(self._seed, f"{draw_seed()}\n".encode())
            kept = read_file(self._seed) or b""
        seed = kept.decode(errors="replace").strip()
        if not 1 <= len(seed) <= _LONGEST_NAME:
            raise InvalidPlan(f"{self._seed} has to hold one line: delete it to draw a new seed")
        return seed


def _text(values: Mapping[str, Any], field: str, default: str) -> str:
    text = values.get(field, default)
    if not isinstance(text, str) or not text.isprintable() or not 1 <= len(text) <= _LONGEST_NAME:
        raise InvalidPlan(f"{_LEAGUE}: {field}: must be a text of 1 to {_LONGEST_NAME} characters")
    return text


def _whole(values: Mapping[str, Any], field: str, default: int) -> int:
    number = values.get(field, default)
    if type(number) is not int or number < 0:
        raise InvalidPlan(f"{_LEAGUE}: {field}: must be a whole number of hands, 0 or more")
    return number
