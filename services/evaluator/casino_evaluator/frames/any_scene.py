"""Scenes of games without a layout of their own: cards, numbers and words of the state."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

from casino_evaluator.domain.moment import Moment
from casino_evaluator.frames.scene import Row, Scene, Side, Value
from casino_evaluator.frames.values import leaves, text, whole

Json = dict[str, Any]
_CARD = re.compile("[2-9TJQKA][cdhs]")
_MOST_LEAVES = 400
_MOST_CARDS = 22
_MOST_VALUES = 12
_UNSHOWN = frozenset({"game_type", "player_id"})


def any_scene(moment: Moment, public: Json, private: Json) -> Scene:
    """Return the scene of any game: own cards below, open ones between, the rest as values."""
    own = list(islice(leaves(private), _MOST_LEAVES))
    open_ = list(islice(leaves(public), _MOST_LEAVES))
    cards, board = _cards(own), _cards(open_)
    words = {moment.player_id: "YOU", moment.opponent_id: "OPP"}
    values = [
        value
        for name, leaf in own + open_
        if name not in _UNSHOWN and (value := _value(name, leaf, words)) is not None
    ]
    side = Side(cards, stack=moment.standing.stack, is_turn=bool(moment.offers))
    return Scene(
        opponent=None,
        own=side if cards else None,
        rows=(Row(board),) if board else (),
        values=tuple(values[:_MOST_VALUES]),
    )


def _cards(pairs: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
    cards = (leaf for _, leaf in pairs if isinstance(leaf, str) and _CARD.fullmatch(leaf))
    return tuple(islice(cards, _MOST_CARDS))


def _value(name: str, leaf: object, words: dict[str, str]) -> Value | None:
    """Return a leaf as it is drawn; None for a card, and for what says nothing."""
    if isinstance(leaf, bool):
        return Value(name, "YES" if leaf else "NO")
    number = whole(leaf)
    if number is not None:
        return Value(name, "", number)
    word = text(leaf)
    if not word or _CARD.fullmatch(word):
        return None
    return Value(name, words.get(word, word))
