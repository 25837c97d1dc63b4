"""Read what `casino match` is asked for: bots, a plan, or the directory of a match."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from casino_match.domain.plan_file import merged, values_of
from casino_match.domain.plan_file_entrants import entrants_of, is_remote
from casino_match.errors import InvalidPlan

from casino.match.match_order import MatchOrder

_PLAN = ".toml"


def order_of(
    players: Sequence[str], options: Mapping[str, Any], games_at_once: int | None, **run: Any
) -> MatchOrder:
    """Return the match to play; raises InvalidPlan.

    Options take the place of a plan's values, and `run` are the other fields of the order.
    """
    first = Path(players[0])
    if len(players) == 1 and first.suffix == _PLAN:
        values, folder = merged(_read(first), options), first.parent
    elif len(players) == 1 and first.is_dir():
        for option, value in (*options.items(), ("out", run["out"]), ("fresh", run["is_fresh"])):
            if value:
                raise InvalidPlan(
                    f"{first} is a match that has begun: its plan cannot change, leave out the"
                    f" option of {option}"
                )
        return MatchOrder(resumed=first, jobs=run["jobs"], on=run["on"], share=run["share"])
    else:
        values, folder = {**options, "players": list(players)}, Path()
    if games_at_once is not None and isinstance(values.get("players"), list):
        values["players"] = [
            {**entrant, "games_at_once": games_at_once} if is_remote(entrant["player"]) else entrant
            for entrant in entrants_of(values["players"])
        ]
    return MatchOrder(values, folder, **run)


def _read(path: Path) -> dict[str, Any]:
    try:
        return values_of(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not in UTF-8"
        raise InvalidPlan(f"{path} cannot be read: {reason}") from error
    except InvalidPlan as error:
        raise InvalidPlan(f"{path}: {error}") from error
