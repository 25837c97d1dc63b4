"""What a frame shows, before it has places and colours: the scene of a moment, by its game."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from casino_evaluator.domain.evaluation_session import Moment
from casino_evaluator.frames.state_values import by_player, fields, items, leaves, text, whole

Card = str | None
"""A label, such as `Ah`, `K` or `10`; None is a card face down, an empty text an empty place."""
Json = dict[str, Any]
_CARD = re.compile("[2-9TJQKA][cdhs]")
_MOST_LEAVES = 400
_MOST_CARDS_SHOWN = 22
_MOST_VALUES = 12
_UNSHOWN = frozenset({"game_type", "player_id"})
_MOST_ROWS = 2
_MOST_HIDDEN_OF_DEALER = 10
BOARD = 5
_WORDS = {"check": "CHK", "raise": "RAIS", "all-in": "ALL"}
_MOST_HIDDEN = 12


@dataclass(frozen=True, slots=True)
class Side:
    """The candidate, or what plays against it."""

    cards: tuple[Card, ...] = ()
    stack: int | None = None
    bet: int | None = None
    note: str = ""
    """Its last action, its points or the total of its cards."""
    has_button: bool = False
    is_turn: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Cards between the two sides."""

    cards: tuple[Card, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A named number or word of a game without a layout of its own."""

    name: str
    word: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """What is on the table."""

    opponent: Side | None
    own: Side | None
    rows: tuple[Row, ...] = ()
    """At most two."""
    label: str = ""
    """What `amount` is, or a word about the rows."""
    amount: int | None = None
    values: tuple[Value, ...] = ()
    """Drawn where there is no side and no row."""


def any_scene(moment: Moment, public: Json, private: Json) -> Scene:
    """Return the scene of any game: own cards below, open ones between, the rest as values."""
    own = list(islice(leaves(private), _MOST_LEAVES))
    open_ = list(islice(leaves(public), _MOST_LEAVES))
    cards, board = _cards_among(own), _cards_among(open_)
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


def _cards_among(pairs: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
    cards = (leaf for _, leaf in pairs if isinstance(leaf, str) and _CARD.fullmatch(leaf))
    return tuple(islice(cards, _MOST_CARDS_SHOWN))


def _value(name: str, leaf: object, words: dict[str, str]) -> Value | None:
    if isinstance(leaf, bool):
        return Value(name, "YES" if leaf else "NO")
    number = whole(leaf)
    if number is not None:
        return Value(name, "", number)
    word = text(leaf)
    if not word or _CARD.fullmatch(word):
        return None
    return Value(name, words.get(word, word))


def blackjack_scene(moment: Moment, public: Json, _private: Json) -> Scene:
    dealer = fields(public.get("dealer"))
    hidden = min(_MOST_HIDDEN_OF_DEALER, max(0, whole(dealer.get("hidden")) or 0))
    player = by_player(public.get("players"), moment.player_id)
    hands = [fields(hand) for hand in items(player.get("hands"))]
    current = whole(public.get("current_hand")) or 0
    active = hands.pop(current) if 0 <= current < len(hands) else {}
    limit = whole(public.get("max_bet"))
    return Scene(
        opponent=Side((*_cards_in(dealer), *(None,) * hidden), note=_total(dealer)),
        own=Side(
            cards=_cards_in(active),
            stack=whole(player.get("stack")),
            bet=whole(active.get("bet")),
            note=_total(active),
            is_turn=public.get("current_player") == moment.player_id,
        ),
        rows=tuple(Row(_cards_in(hand), _total(hand)) for hand in hands[:_MOST_ROWS]),
        label="" if hands else "MAX",
        amount=None if hands else limit,
    )


def _cards_in(holder: Json) -> tuple[Card, ...]:
    return tuple(map(text, items(holder.get("cards"))))


def _total(holder: Json) -> str:
    """Return what the cards count, with an S if an ace in them counts 11."""
    if not items(holder.get("cards")):
        return ""
    soft = "S" if holder.get("is_soft") is True else ""
    return f"{soft}{text(holder.get('total'))}"


def poker_scene(moment: Moment, public: Json, private: Json) -> Scene:
    own = _cards_of(private)
    shown = items(fields(public.get("results")).get("shown")) or items(public.get("shown"))
    own = own or _cards_of(by_player(shown, moment.player_id))
    others = _cards_of(by_player(shown, moment.opponent_id))
    hidden: tuple[Card, ...] = (None,) * len(own)
    return Scene(
        opponent=_poker_side(public, moment.opponent_id, others or hidden),
        own=_poker_side(public, moment.player_id, own),
        rows=_board(public),
        label="POT",
        amount=whole(public.get("pot")),
    )


def _cards_of(holder: Json) -> tuple[Card, ...]:
    """Return the cards of a private state, or of a hand that was shown."""
    cards = items(holder.get("hole_cards")) or items(holder.get("cards")) or [holder.get("card")]
    return tuple(filter(None, map(text, cards)))


def _board(public: Json) -> tuple[Row, ...]:
    """Return the open cards, with empty places for those to come."""
    if "community_cards" in public:
        cards = [text(card) for card in items(public["community_cards"])]
        return (Row((*cards, *[""] * (BOARD - len(cards)))),)
    if public.get("game_type") == "kuhn_poker":
        return ()
    return (Row((text(public.get("public_card")),)),)


def _poker_side(public: Json, player_id: str, cards: tuple[Card, ...]) -> Side:
    player = by_player(public.get("players"), player_id)
    bet = whole(player.get("bet"))
    return Side(
        cards=cards,
        stack=whole(player.get("stack")),
        bet=whole(player.get("paid")) if bet is None else bet,
        note=_note(public, player, player_id),
        has_button=_button(public) == player_id,
        is_turn=public.get("current_player") == player_id,
    )


def _button(public: Json) -> object:
    if "button" in public:
        return public["button"]
    return fields(([{}, *items(public.get("players"))])[-1]).get("player_id")


def _note(public: Json, player: Json, player_id: str) -> str:
    if player.get("status") == "folded":
        return "FOLD"
    for entry in reversed(items(public.get("history"))):
        if fields(entry).get("player_id") == player_id:
            action = text(fields(entry).get("action")).lower()
            return _WORDS.get(action, action.upper())
    return ""


def simple_card_scene(moment: Moment, public: Json, private: Json) -> Scene:
    """Return the scene of `simple_card`.

    Between the two hands is the trick, the opponent's card on the left; before its first card,
    the trick that is over.
    """
    trick = items(public.get("on_table"))
    tricks = items(public.get("tricks"))
    label = "NOW"
    if not trick and tricks:
        trick = items(fields(tricks[-1]).get("cards"))
        label = "LAST"
    players = public.get("players")
    left = whole(by_player(players, moment.opponent_id).get("cards_left")) or 0
    hidden: tuple[Card, ...] = (None,) * max(0, min(_MOST_HIDDEN, left))
    played = tuple(
        text(by_player(trick, player_id).get("card"))
        for player_id in (moment.opponent_id, moment.player_id)
    )
    return Scene(
        opponent=_card_player(public, moment.opponent_id, hidden, moment.standing.opponent_stack),
        own=_card_player(
            public,
            moment.player_id,
            _held(private, public, moment.player_id, played[1]),
            moment.standing.stack,
        ),
        rows=(Row(played),),
        label=label,
        amount=whole(public.get("stake")),
    )


def _held(private: Json, public: Json, player_id: str, played: str) -> tuple[Card, ...]:
    """Return the cards in hand, without the newest played one.

    It may still be in the private state, which a player is sent with its own decisions only.
    """
    cards = list(map(text, items(private.get("hand"))))
    left = whole(by_player(public.get("players"), player_id).get("cards_left"))
    if left is not None and len(cards) > left and played in cards:
        cards.remove(played)
    return tuple(cards)


def _card_player(public: Json, player_id: str, cards: tuple[Card, ...], stack: int) -> Side:
    points = whole(by_player(public.get("players"), player_id).get("points"))
    return Side(
        cards=cards,
        stack=stack,
        note="" if points is None else f"P{points}",
        is_turn=public.get("current_player") == player_id,
    )


_SCENES: Mapping[str, Callable[[Moment, Json, Json], Scene]] = {
    "texas-holdem": poker_scene,
    "kuhn_poker": poker_scene,
    "leduc_poker": poker_scene,
    "blackjack": blackjack_scene,
    "simple_card": simple_card_scene,
}


def public_of(moment: Moment) -> Json:
    """Return the public state; at the end of a hand, that of the result."""
    final = fields(fields(moment.result).get("public"))
    return final or fields(fields(moment.state).get("public"))


def scene_of(moment: Moment) -> Scene:
    private = fields(fields(moment.state).get("private"))
    return _SCENES.get(moment.game_type, any_scene)(moment, public_of(moment), private)
