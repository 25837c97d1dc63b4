"""Makes environments; imports PettingZoo and Gymnasium only then."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from casino_match.gym.encoding import Encoding


def env(
    game_type: str,
    *,
    players: int | None = None,
    config: Mapping[str, Any] | None = None,
    sizes: Sequence[float] | None = None,
    normalised: bool = False,
    rotates: bool = True,
    render_mode: str | None = None,
    encoding: Encoding | None = None,
) -> Any:
    """Return a PettingZoo AEC environment of a game, whose agents are `player_0`, `player_1`, ….

    `players` is the game's minimum by default; `config` are its settings, with stacks by seat.
    `sizes` are the bets that are actions: for Hold'em fractions of the pot, at a bank parts of the
    range. Rewards are chips at the end of a hand; `normalised` divides them by the big blind, the
    ante, the stake or the smallest bet. `rotates` moves everybody to the next seat from hand to
    hand. `render_mode` is `"ansi"` or None. `encoding` is for games of others.

    Raises `ImportError` without the extra, `UnknownGame`, `InvalidConfig`.
    """
    try:
        module = import_module("casino_match.gym.environment")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"gymnasium", "pettingzoo"}:
            raise
        raise ImportError(
            "PettingZoo is not installed: pip install 'a2a-casino[gym]'", name=error.name
        ) from error
    return module.make(
        game_type,
        players=players,
        config=config or {},
        sizes=sizes,
        normalised=normalised,
        rotates=rotates,
        render_mode=render_mode,
        encoding=encoding,
    )
