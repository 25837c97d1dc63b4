"""Write PHH (Poker Hand History): TOML, one table per hand in a `.phhs` file."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC

from casino_histories.amounts import amount_text
from casino_histories.hand import BOARD_SIZES, HEADS_UP, HandHistory

_UNKNOWN = "????"


def phh(hand: HandHistory) -> str:
    """Return a hand as the content of a `.phh` file."""
    lines = [f"{name} = {value}" for name, value in _fields(hand)]
    return "\n".join(lines) + "\n"


def comment(text: str) -> str:
    """Return a text as a line of comment, without characters that a comment cannot have."""
    return f"# {''.join(sign if sign.isprintable() else ' ' for sign in _plain(text))}\n"


def _fields(hand: HandHistory) -> Iterator[tuple[str, str]]:
    count = len(hand.seats)
    antes = [0] * count
    for bet in hand.forced:
        if bet.kind == "ante":
            antes[bet.seat] = hand.ante
    blinds = [hand.small_blind, hand.big_blind, *[0] * (count - HEADS_UP)]
    if count == HEADS_UP:  # the format's order is small blind first, also where p1 is the big blind
        antes.reverse()
    yield "variant", _text("NT")
    yield "ante_trimming_status", "false" if hand.ante_is_dead else "true"
    yield "antes", _amounts(hand, antes)
    yield "blinds_or_straddles", _amounts(hand, blinds)
    yield "min_bet", amount_text(hand.big_blind, hand.decimals)
    yield "starting_stacks", _amounts(hand, [seat.stack for seat in hand.seats])
    yield "actions", "[\n" + "".join(f"  {_text(action)},\n" for action in _actions(hand)) + "]"
    yield "players", f"[{', '.join(_text(seat.name) for seat in hand.seats)}]"
    if hand.pots:
        yield "finishing_stacks", _amounts(hand, hand.finishing_stacks)
        yield "winnings", _amounts(hand, hand.won)
    yield "seats", str([seat.number + 1 for seat in hand.seats])
    yield "table", _text(hand.table)
    yield "hand", str(hand.number)
    if hand.started_at is not None:
        at = hand.started_at.astimezone(UTC)
        yield "time", f"{at:%H:%M:%S}"
        yield "time_zone", _text("UTC")
        yield from (("day", str(at.day)), ("month", str(at.month)), ("year", str(at.year)))
    if any(item.rank_name for item in hand.shown):
        yield "_ranks", f"[{', '.join(_text(item.rank_name) for item in hand.shown)}]"
    yield "_hand_id", _text(hand.hand_id)
    yield "_players", f"[{', '.join(_text(seat.player_id) for seat in hand.seats)}]"


def _actions(hand: HandHistory) -> Iterator[str]:
    for seat, player in enumerate(hand.seats, 1):
        yield f"d dh p{seat} {''.join(player.cards) or _UNKNOWN}"
    street = 0
    for action in hand.actions:
        while street < action.street:
            street += 1
            yield _board(hand, street)
        player_name = f"p{action.seat + 1}"
        if action.kind == "fold":
            yield f"{player_name} f"
        elif action.kind in {"check", "call"}:
            yield f"{player_name} cc"
        else:
            yield f"{player_name} cbr {amount_text(action.total, hand.decimals)}"
    if not hand.has_showdown:
        return
    # Where everybody is all-in, the cards are open before the rest of the board.
    yield from _showdown(hand)
    while street < hand.streets:
        street += 1
        yield _board(hand, street)


def _showdown(hand: HandHistory) -> Iterator[str]:
    shown = [item.seat for item in hand.shown]
    for item in hand.shown:
        yield f"p{item.seat + 1} sm {''.join(item.cards)}"
    for seat in hand.live:
        if seat not in shown:
            yield f"p{seat + 1} sm"


def _board(hand: HandHistory, street: int) -> str:
    return f"d db {''.join(hand.board[BOARD_SIZES[street - 1] : BOARD_SIZES[street]])}"


def _amounts(hand: HandHistory, amounts: Iterable[int]) -> str:
    return f"[{', '.join(amount_text(chips, hand.decimals) for chips in amounts)}]"


def _text(text: str) -> str:
    """Return a text as a basic string of TOML."""
    return json.dumps(_plain(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
