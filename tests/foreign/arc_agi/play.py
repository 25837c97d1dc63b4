"""Play games of a server with the official client and a random player; print one JSON line.

`play.py URL online|competition [--key KEY] [--seed SEED] [--games ID ...]`: without a key the
client asks for an anonymous one, without games it plays all that the server lists.
"""

import argparse
import json
import logging
import random
import sys
import tempfile
from typing import Any

from arc_agi import Arcade, EnvironmentWrapper, OperationMode
from arcengine import FrameDataRaw, GameAction, GameState

ENDS = (GameState.WIN, GameState.GAME_OVER)
SIDE = 64
COLORS = 16
MOST_ACTIONS = 5_000
MOVES = [action for action in GameAction if action is not GameAction.RESET]


class Faults(logging.Handler):
    """What the client logs as an error: it turns every fault of a server into a log line."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        self.seen.append(record.getMessage())


def check(frame: FrameDataRaw | None, env: EnvironmentWrapper) -> FrameDataRaw:
    """Return a frame that is as the documents say."""
    assert frame is not None, "the client got no frame"
    assert frame.game_id == env.environment_info.game_id, frame.game_id
    assert 0 <= frame.levels_completed <= frame.win_levels <= 254, frame
    assert frame.frame, "no grid"
    for grid in frame.frame:
        assert grid.shape == (SIDE, SIDE), grid.shape
        assert 0 <= grid.min() <= grid.max() < COLORS, (grid.min(), grid.max())
    return frame


def played(env: EnvironmentWrapper, rng: random.Random) -> dict[str, Any]:
    """Send any of the seven actions, as the official random agent does, until the game ends."""
    frame = check(env.observation_space, env)
    # That agent begins with a RESET of its own, after the client's.
    frame, resets = check(env.reset(), env), 2
    actions, levels = 0, [frame.levels_completed]
    while frame.state not in ENDS and actions < MOST_ACTIONS:
        action = rng.choice(MOVES)
        data = {"x": rng.randrange(SIDE), "y": rng.randrange(SIDE)} if action.is_complex() else {}
        frame = check(env.step(action, data=data, reasoning={"n": actions}), env)
        assert frame.action_input.id is action, frame.action_input
        actions += 1
        if frame.levels_completed != levels[-1]:
            levels.append(frame.levels_completed)
    return {
        "game_id": frame.game_id,
        "guid": frame.guid,
        "state": frame.state.name,
        "actions": actions,
        "resets": resets,
        "levels": levels,
        "win_levels": frame.win_levels,
    }


def main() -> None:
    """Play each game once on one card, and close it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("mode", choices=["online", "competition"])
    parser.add_argument("--key", default="")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--games", nargs="*")
    asked = parser.parse_args()

    faults = Faults()
    logger = logging.getLogger("player")
    logger.addHandler(faults)
    with tempfile.TemporaryDirectory() as nowhere:
        arcade = Arcade(
            arc_api_key=asked.key,
            arc_base_url=asked.url,
            operation_mode=OperationMode(asked.mode),
            environments_dir=nowhere,
            recordings_dir=nowhere,
            logger=logger,
        )
        card_id = arcade.open_scorecard(tags=["random"])
        games = asked.games or [one.game_id for one in arcade.get_environments()]
        results = []
        for game in games:
            env = arcade.make(game, scorecard_id=card_id)
            assert env is not None, (game, faults.seen)
            results.append(played(env, random.Random(f"{asked.seed} {game}")))
        in_flight = arcade.get_scorecard(card_id) if asked.mode == "online" else None
        card = arcade.close_scorecard(card_id)
    assert card is not None
    printed = {
        "key": arcade.arc_api_key,
        "card_id": card_id,
        "results": results,
        "in_flight": in_flight and in_flight.model_dump(mode="json"),
        "card": card.model_dump(mode="json"),
        "faults": faults.seen,
    }
    sys.stdout.write(json.dumps(printed) + "\n")


if __name__ == "__main__":
    main()
