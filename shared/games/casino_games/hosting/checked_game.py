"""A third party's game as tables play it: every call limited, every answer checked.

It needs only the methods of the game-interface document, not the base class `Game`. A fault raises
`GameFault`, whose message has the method but no value of the game, which may be secret.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, TypeAlias

from pydantic import ValidationError

from casino_games import offers
from casino_games.errors import GameError, GameFault, InvalidConfig, NotPlain, UnknownPlayer
from casino_games.game import HOUSE, ArenaConfig, Game, Json, faults_in
from casino_games.hosting.game_properties import REQUIRED, traits_of
from casino_games.registry import config_class, create_game, game_class
from casino_games.shuffle import derive_seed

MOST_CHARACTERS = 65_536
"""The limit of one value, about the size of its JSON; an event has a few of them."""
DEEPEST = 32
_SHOWN = 80
LARGEST = 2**53 - 1
"""Larger integers are not exact in every language."""


def plain(value: Any) -> Any:
    """Return JSON types: tuples as lists, enums' values, keys as text; raises `NotPlain`."""
    return _Copy().of(value, "", DEEPEST)


class _Copy:
    """Copies one value and counts its characters."""

    def __init__(self) -> None:
        self._left = MOST_CHARACTERS

    def of(self, value: Any, place: str, levels: int) -> Any:
        value = value.value if isinstance(value, Enum) else value
        self._count(len(value) if isinstance(value, str) else 1, place)
        match value:
            case None | bool():
                return value
            case str():
                return str(value)
            case int() if abs(value) <= LARGEST:
                return int(value)
            case float() if math.isfinite(value):
                return float(value)
            case dict() | list() | tuple():
                if not levels:
                    raise NotPlain(f"nested deeper than {DEEPEST} levels, at {place[:_SHOWN]}")
                return self._container(value, place, levels - 1)
        raise NotPlain(f"{_named(value)} is no JSON, at {place[:_SHOWN] or 'the top'}")

    def _container(self, value: Any, place: str, levels: int) -> Any:
        if isinstance(value, dict):
            return {
                key: self.of(item, f"{place}.{key}".lstrip("."), levels)
                for key, item in self._items(value, place)
            }
        return [
            self.of(item, f"{place}.{index}".lstrip("."), levels)
            for index, item in enumerate(value)
        ]

    def _items(self, value: dict[Any, Any], place: str) -> Iterator[tuple[str, Any]]:
        for raw, item in value.items():
            key = raw.value if isinstance(raw, Enum) else raw
            if type(key) is not int and not isinstance(key, str):
                raise NotPlain(f"{_named(key)} is no key in JSON, at {place[:_SHOWN] or 'the top'}")
            self._count(len(str(key)), place)
            yield str(key), item

    def _count(self, characters: int, place: str) -> None:
        self._left -= characters
        if self._left < 0:
            raise NotPlain(f"more than {MOST_CHARACTERS} characters, at {place[:_SHOWN]}")


def _named(value: object) -> str:
    if isinstance(value, int):
        return f"an integer beyond {LARGEST}"
    if isinstance(value, float):
        return "a number that is not finite"
    return f"a {type(value).__name__}"


Call: TypeAlias = Callable[[Callable[[], Any]], Any]
"""Calls a function and returns its result; raises `TimeoutError` when it takes too long."""

_OWN_PACKAGE = __name__.partition(".")[0] + "."


def is_own(rules: type[Any]) -> bool:
    """Return whether a class of a game is of this package, so that nothing of it is checked."""
    return rules.__module__.startswith(_OWN_PACKAGE)


def at_once(function: Callable[[], Any]) -> Any:
    return function()


def hosted_game(game_type: str, arena_config: ArenaConfig, call: Call = at_once) -> Game:
    """Return a game, others' checked; raises `UnknownGame`, `InvalidConfig`, `GameFault`."""
    rules: Any = game_class(game_type)
    if is_own(rules):
        return create_game(game_type, arena_config)
    traits = traits_of(game_type)
    if not issubclass(rules, Game):
        arena_config = replace(
            arena_config,
            seed=_number(arena_config.seed),
            game_config=_whole_config(game_type, arena_config.game_config),
        )
    try:
        game = call(lambda: create_game(game_type, arena_config))
    except GameError:
        raise
    except (Exception, SystemExit) as error:
        raise GameFault(_raised("create_game", error)) from error
    if missing := [name for name in REQUIRED if getattr(game, name, None) is None]:
        raise GameFault(f"{missing[0]}: {type(game).__name__} must have {', '.join(missing)}")
    return CheckedGame(game, arena_config, call, plays_for_chips=traits.plays_for_chips)


class CheckedGame(Game):
    """A game whose answers are checked; ended by a fault after `max_turns` of its config."""

    def __init__(
        self, game: Any, arena_config: ArenaConfig, call: Call, *, plays_for_chips: bool
    ) -> None:
        self._game = game
        self._config = arena_config
        self._players = [player.id for player in arena_config.players]
        self._call = call
        self._plays_for_chips = plays_for_chips
        self._is_ours = isinstance(game, Game)
        """Whether it knows this package's interface, which has more methods."""
        self._steps = 0

    @property
    def game_type(self) -> str:
        return self._config.game_type

    def own_game_type(self) -> Any:
        """Return the game's own `game_type`, a property or a method."""
        value = self._game.game_type
        return value() if callable(value) else value

    def reset(self, seed: int | str | None = None) -> None:
        """Deal; a game that knows only the document gets an integer."""
        seed = self._config.seed if seed is None else seed
        self._steps = 0
        self._ask("reset", seed if self._is_ours else _number(seed))

    def opening_events(self) -> list[Json]:
        """Return the events of `reset`; none of a game that knows only the document."""
        return self._objects("opening_events") if self._is_ours else []

    def get_current_player(self) -> str:
        if self.is_over():
            return ""
        player_id = self._ask("get_current_player")
        if player_id not in self._players:
            raise GameFault("get_current_player: must return a player's id until is_over()")
        return str(player_id)

    def get_current_role(self) -> str:
        return str(self._ask("get_current_role") or "")

    def get_pending_players(self) -> list[str]:
        if not self._is_ours:
            return super().get_pending_players()
        pending = self._ask("get_pending_players")
        if not isinstance(pending, list) or not set(map(str, pending)) <= set(self._players):
            raise GameFault("get_pending_players: must return ids of players")
        return pending

    def get_public_state(self) -> Json:
        return self._object("get_public_state")

    def get_public_words(self) -> list[str]:
        """Return the game's sentences; none of a game that knows only the document."""
        if not callable(getattr(self._game, "get_public_words", None)):
            return []
        said = self._ask("get_public_words")
        if not isinstance(said, list) or not all(isinstance(words, str) for words in said):
            raise GameFault("get_public_words: must return a list of sentences")
        return said

    def get_private_state(self, player_id: str) -> Json:
        if player_id not in self._players:
            raise UnknownPlayer("no player of this game has this id")
        return self._object("get_private_state", player_id)

    def get_available_actions(self) -> list[Json]:
        return [] if self.is_over() else self._offers("get_available_actions")

    def get_actions_of(self, player_id: str) -> list[Json]:
        if not self._is_ours or player_id not in self.get_pending_players():
            return super().get_actions_of(player_id)
        return self._offers("get_actions_of", player_id)

    def default_action(self, player_id: str) -> Json:
        if self._is_ours:
            return self._object("default_action", player_id)
        return super().default_action(player_id)

    def step(self, action: Json) -> tuple[Json, bool]:
        """Execute an offered action; events are those of a game that knows them public."""
        answer = offers.match(action, self.get_available_actions())
        self._steps += 1
        if self._steps > self._config.max_turns:
            raise GameFault(f"is_over: still False after {self._config.max_turns} decisions")
        result = self._ask("step", answer, read=self._as_offered)
        if not isinstance(result, list) or [type(part) for part in result] != [dict, bool]:
            raise GameFault("step: must return an object and whether the game is over")
        events = result[0].get("events", []) if self._is_ours else []
        if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
            raise GameFault("step: events must be a list of objects")
        return {"events": events}, self.is_over()

    def is_over(self) -> bool:
        is_over = self._ask("is_over")
        if not isinstance(is_over, bool):
            raise GameFault("is_over: must return True or False")
        return is_over

    def get_winner(self) -> str | None:
        winner = self._ask("get_winner")
        if winner is None or winner in self._players or winner in (self.get_teams() or {}):
            return None if winner is None else str(winner)
        raise GameFault("get_winner: must return a player's id or None")

    def get_scores(self) -> dict[str, Any]:
        """Return the scores by player, a team's for its members; points may be fractions."""
        written = self._object("get_scores")
        teams = self.get_teams() or {}
        named = [*self._players, *([HOUSE] if self._plays_for_chips and HOUSE in written else [])]
        scores = {}
        for name in named:
            own_teams = [team for team, members in teams.items() if name in members]
            found = (_score_of(one, written, self._players) for one in (name, *own_teams))
            scores[name] = next((score for score in found if score is not None), None)
        kinds = {int} if self._plays_for_chips else {int, float}
        if any(type(score) not in kinds for score in scores.values()):
            what = "whole number of chips" if self._plays_for_chips else "number"
            raise GameFault(f"get_scores: must return a {what} for each player, or for its team")
        return scores

    def get_players(self) -> list[str]:
        return self._players.copy()

    def get_teams(self) -> dict[str, list[str]] | None:
        """Return the game's teams, else those of the room, if it has any."""
        said = self._ask("get_teams") if callable(getattr(self._game, "get_teams", None)) else None
        if said is None:
            teams: dict[str, list[str]] = {}
            for player in self._config.players:
                if player.team is not None:
                    teams.setdefault(player.team, []).append(player.id)
            return teams or None
        teams = {name: _members(of) for name, of in said.items()} if isinstance(said, dict) else {}
        if not isinstance(said, dict) or any(set(of) - set(self._players) for of in teams.values()):
            raise GameFault("get_teams: must return None or the players of each team")
        return teams

    # The game's answers.

    def _ask(
        self, method: str, *arguments: Any, read: Callable[..., Any] = lambda *values: values
    ) -> Any:
        """Return a method's result as plain JSON; `read` gets the arguments within the limit."""
        try:
            return self._call(lambda: plain(getattr(self._game, method)(*read(*arguments))))
        except NotPlain as error:
            raise GameFault(f"{method}: must return JSON") from error
        except (Exception, SystemExit) as error:
            raise GameFault(_raised(method, error)) from error

    def _object(self, method: str, *arguments: Any) -> Json:
        value = self._ask(method, *arguments)
        if not isinstance(value, dict):
            raise GameFault(f"{method}: must return an object (dict)")
        return value

    def _objects(self, method: str, *arguments: Any) -> list[Json]:
        values = self._ask(method, *arguments)
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise GameFault(f"{method}: must return a list of objects (dict)")
        return values

    def _offers(self, method: str, *arguments: Any) -> list[Json]:
        available = self._objects(method, *arguments)
        if not available:
            raise GameFault(f"{method}: must not be empty until is_over()")
        for offer in available:
            if not isinstance(offer.get("action_type"), str) or not offer["action_type"]:
                raise GameFault(f"{method}: each action needs an action_type, a text")
            if offers.has_range(offer) and not _is_range(offer["min"], offer["max"]):
                raise GameFault(f"{method}: min and max of an action must be whole numbers")
        return available

    def _as_offered(self, answer: Json) -> tuple[Any]:
        """Return an answer with the game's own values, which may be tuples or members of enums."""
        for offer in self._game.get_available_actions():
            same = plain(offer)
            if {key: same[key] for key in offers.parameters(same)} == {
                key: value for key, value in answer.items() if key != "amount" or key in same
            }:
                own = {key: offer[key] for key in offer if str(key) in answer}
                return (answer | own,)
        return (answer,)


_SCORES = ("score", "points")
"""Keys of a player's or a team's score, where it is one value of several; else the first number."""


def _score_of(name: str, written: Json, players: list[str]) -> Any:
    """Return the number of a player or a team at the least depth; None if none, or they differ."""
    level: list[Json] = [written]
    while level:
        found = {_number_of(one[name], players) for one in level if name in one} - {None}
        if found:
            return found.pop() if len(found) == 1 else None
        level = [inner for one in level for inner in one.values() if isinstance(inner, dict)]
    return None


def _number_of(value: Any, players: list[str]) -> int | float | None:
    """Return a score that is a number, or a value of an object that is not by player."""
    if isinstance(value, dict) and not value.keys() & set(players):
        inner = [*(value.get(key) for key in _SCORES), *value.values()]
        value = next((one for one in inner if type(one) in {int, float}), None)
    return value if type(value) in {int, float} else None


def _members(written: Any) -> list[str]:
    """Return the players of a team: a list, an object of them by role, or a single one."""
    if isinstance(written, dict):
        written = list(written.values())
    if not isinstance(written, list):
        return [str(written)]
    return [player for one in written for player in _members(one)]


def _whole_config(game_type: str, settings: Mapping[str, Any]) -> Json:
    """Return the settings with all defaults; raises `InvalidConfig` with the path of each fault."""
    try:
        model = config_class(game_type).model_validate(dict(settings))
    except ValidationError as error:
        raise InvalidConfig(faults_in(error, "config")) from None
    return model.model_dump(by_alias=True)


def _number(seed: int | str | None) -> int | None:
    """Return a seed as an integer of 63 bits, which every generator takes."""
    if isinstance(seed, str):
        return int(derive_seed(seed)[:16], 16) >> 1
    return seed


def _raised(method: str, error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return f"{method}: takes too long"
    return f"{method}: raises {type(error).__name__}"


def _is_range(least: Any, most: Any) -> bool:
    return type(least) is int and type(most) is int and least <= most
