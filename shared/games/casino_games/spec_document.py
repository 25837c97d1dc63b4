"""Build a game's specification as one Markdown document, reproducibly.

Its examples are recorded by playing hands, and validated. The actions follow from the example's
seed, so that each build gives the same document.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from casino_games.errors import InconsistentSpecification
from casino_games.game import ArenaConfig, ArenaPlayer, Game, Json, faults_in
from casino_games.registry import create_game
from casino_games.shuffle import Chance
from casino_games.spec_schemas import action_schemas, adapters, kinds_of, schemas
from casino_games.specification import GameSpecification, result_of, state_of

_PLAY_TAG = b"a2a-casino/example/v1"
_MAX_TURNS = 200
"""Maximum length of an example, so that it stays readable; a longer one needs another seed."""

_NOT_PLAIN = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
"""Words that YAML does not parse as strings."""
_ANSWERING = """\
Every question comes with `availableActions`: exactly what is accepted now.
Answer with one of them, repeating its keys.
One that has `min` and `max` is a range: leave these two out and give an `amount`, a whole number \
of chips from `min` to `max`.

When the clock runs out, `{default}` is taken where it is offered, else the first action that is \
offered."""
MESSAGES = """\
The schemas describe this game over A2A and over A2G (a WebSocket), whose messages have other forms:

| message | A2A | A2G |
| --- | --- | --- |
| question | `state`: `public` and `private`; `availableActions` are beside it | the payload of \
`game_action_request` and `betting_window_open`: the state with `availableActions` in it |
| offer | `{"action_type": …, "min": …, "max": …}` | \
`{"type": …, "minAmount": …, "maxAmount": …}` |
| answer | `action`: `{"action_type": …, "amount": …}` | the payload of `submit_action`: \
`{"action": …, "amount": …}` |
| result | `result`: `winners` are player ids | the payload of `round_result`: `winners` are \
`{"playerId", "grossAmount", "rake", "netAmount"}` |

All other keys are the same. No peer is sent a form of the other wire."""
_EXAMPLES = """\
Hands that this game really played, decision by decision: what the player was shown, what it was \
offered and what it answered.
The players chose at random; they are no model to follow."""


def record(spec: GameSpecification) -> list[Json]:
    """Return the examples, played; raises `InconsistentSpecification` if a model does not match."""
    return [_play(spec, seed) for seed in spec.example_seeds]


def answer_to(offered: Json, chance: Chance) -> Json:
    """Return an action for an offer, with an amount in the lower half of its range."""
    if "min" not in offered:
        return dict(offered)
    least, most = offered["min"], offered["max"]
    amount = least + chance.below((most - least) // 2 + 1)
    rest = {key: value for key, value in offered.items() if key not in ("min", "max")}
    return {**rest, "amount": amount}


def _play(spec: GameSpecification, seed: str) -> Json:
    players = tuple(ArenaPlayer(player_id) for player_id in spec.example_players)
    game = create_game(spec.game_type, ArenaConfig(players, game_config=spec.example_config))
    game.reset(seed)
    chance = Chance(seed, _PLAY_TAG)
    check = _Check(spec)
    turns: list[Json] = []
    while not game.is_over():
        window = [_turn(game, player_id, chance, check) for player_id in game.get_pending_players()]
        turns += window
        if len(turns) > _MAX_TURNS:
            raise InconsistentSpecification(f"{spec.game_type}: the example {seed!r} has no end")
        for turn in window:
            game.step(dict(turn["action"]))
    result = result_of(game)
    check("result", result)
    return {
        "config": dict(spec.example_config),
        "players": list(spec.example_players),
        "turns": turns,
        "result": result,
    }


def _turn(game: Game, player_id: str, chance: Chance, check: "_Check") -> Json:
    state = state_of(game, player_id)
    offered = game.get_actions_of(player_id)
    action = answer_to(offered[chance.below(len(offered))], chance)
    check("state", state)
    check("action", action)
    return {"player": player_id, "state": state, "availableActions": offered, "action": action}


class _Check:
    """Validates a game's data, as JSON, against the models of its specification."""

    def __init__(self, spec: GameSpecification) -> None:
        self._game_type = spec.game_type
        self._adapters: dict[str, TypeAdapter[Any]] = adapters(spec)

    def __call__(self, part: str, value: Json) -> None:
        try:
            self._adapters[part].validate_json(json.dumps(value))
        except ValidationError as error:
            raise InconsistentSpecification(
                f"{self._game_type}: the game's {part} does not match its model:"
                f" {faults_in(error, part)}"
            ) from None


def build(spec: GameSpecification) -> str:
    """Return the document; raises `InconsistentSpecification` if the game does not match it."""
    schema_of = schemas(spec)
    sections = {
        "Overview": spec.overview.strip(),
        "Rules": spec.rules.strip(),
        "Actions": _actions(spec, schema_of["action"]),
        "Messages": MESSAGES,
        "State Schema": block(schema_of["state"]),
        "Action Schema": block(schema_of["action"]),
        "Result Schema": block(schema_of["result"]),
        "Examples": "\n\n".join([_EXAMPLES, *map(example_block, record(spec))]),
        "Strategy Hints": spec.strategy_hints.strip(),
    }
    return document(spec.front_matter(), spec.name, sections)


def document(front_matter: Json, name: str, sections: Mapping[str, str]) -> str:
    head = "\n".join(["---", *_front_matter(front_matter), "---"])
    body = [f"## {title}\n\n{text}" for title, text in sections.items()]
    return "\n\n".join([head, f"# {name}", *body]) + "\n"


def _front_matter(values: Json, indent: str = "") -> list[str]:
    lines: list[str] = []
    for key, value in values.items():
        if isinstance(value, dict):
            lines += [f"{indent}{key}:", *_front_matter(value, indent + "  ")]
        else:
            lines.append(f"{indent}{key}: {_scalar(value)}")
    return lines


def _scalar(value: Any) -> str:
    """Return a value as YAML, of which JSON is a subset."""
    if (
        isinstance(value, str)
        and value.isascii()
        and value.replace("-", "_").isidentifier()
        and value.lower() not in _NOT_PLAIN
    ):
        return value
    return json.dumps(value)


def _actions(spec: GameSpecification, action_schema: Json) -> str:
    rows = ["| action_type | with | meaning |", "| --- | --- | --- |"]
    for schema in action_schemas(action_schema):
        kinds = ", ".join(f"`{kind}`" for kind in kinds_of(spec, schema))
        others = ", ".join(f"`{name}`" for name in schema["properties"] if name != "action_type")
        meaning = " ".join(schema.get("description", "").split())
        rows.append(f"| {kinds} | {others} | {meaning} |")
    answering = _ANSWERING.format(default=spec.default_timeout_action)
    return "\n".join([*rows, "", answering])


def block(value: Json) -> str:
    return f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```"


def example_block(example: Json) -> str:
    """Return an example, with one line for each message."""
    turns = [
        "    {\n"
        + ",\n".join(f"      {json.dumps(key)}: {_line(value)}" for key, value in turn.items())
        + "\n    }"
        for turn in example["turns"]
    ]
    shown = {key: _line(value) for key, value in example.items()}
    shown["turns"] = "[\n" + ",\n".join(turns) + "\n  ]" if turns else "[]"
    lines = ",\n".join(f"  {json.dumps(key)}: {value}" for key, value in shown.items())
    return f"```json\n{{\n{lines}\n}}\n```"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
