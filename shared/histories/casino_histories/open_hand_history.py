"""Read and write Open Hand History 1.4.6: JSON objects one after the other, or a list of them.

A blank line is written between two hands.
"""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from casino_contracts import Unit
from casino_contracts.foreign_text import FILE_LIMITS, TextLimits, no_constant

from casino_histories.betting_replay import Post, told_apart
from casino_histories.completed_hand import (
    BOARD_SIZES,
    STREETS,
    Action,
    ForcedKind,
    HandHistory,
    decimal_of,
    time_of,
    whole_of,
)
from casino_histories.errors import UnreadableHistory, UnreadHand
from casino_histories.hand_draft import DraftPlayer, HandDraft, cards_in, check_size, number_in

_FORCED: dict[str, ForcedKind] = {
    "Post Ante": "ante",
    "Post SB": "small-blind",
    "Post BB": "big-blind",
    "Straddle": "straddle",
    "Post Extra Blind": "post",
    "Post Dead": "post",
}
_DEAD = "Post Dead"
_WORDS: dict[ForcedKind, str] = {kind: word for word, kind in _FORCED.items() if word != _DEAD}
_IGNORED = {"Mucks Cards", "Added Chips", "Sits Down", "Stands Up"}

Json = dict[str, Any]

_BEGIN = re.compile(r'\{\s{0,40}"ohh"\s{0,40}:')
_SPACE = " \t\r\n\ufeff"
_TAKEN = ("rake", "jackpot")
"""Fields of a pot with chips that leave the table."""

_LIMITS = {"NL": "No Limit", "PL": "Pot Limit", "FL": "Limit"}

VERSION = "1.4.6"
_SITE = "A2A Casino"


def read_ohh(text: str, limits: TextLimits = FILE_LIMITS) -> Iterator[HandHistory | UnreadHand]:
    """Yield the hands of a file, and in place of each that cannot be read what it is.

    An object `ohh` begins a hand also where the one before it is cut off.
    """
    begins, between = [begin.start() for begin in _BEGIN.finditer(text)], _SPACE + "[],"
    if not begins or text[: begins[0]].strip(between):
        begins, between = [0], _SPACE
    count, line = 0, 1 + text.count("\n", 0, begins[0])
    for at, end in zip(begins, [*begins[1:], len(text)], strict=True):
        for item in _values(text[at:end], between, limits):
            count += 1
            yield _hand(item, count, line)
        line += text.count("\n", at, end)


def _values(text: str, between: str, limits: TextLimits) -> Iterator[Any]:
    """Yield the objects of a text, and at its end an error if the rest is no JSON."""
    decoder = json.JSONDecoder(parse_float=str, parse_constant=no_constant)
    at = 0
    try:
        limits.check_json(text)
        while at < len(text):
            if text[at] in between:
                at += 1
                continue
            value, at = decoder.raw_decode(text, at)
            yield from value if isinstance(value, list) else [value]
    except (ValueError, RecursionError) as error:
        yield UnreadableHistory(f"it is no JSON: {getattr(error, 'msg', error)}")


def _hand(item: Any, count: int, line: int) -> HandHistory | UnreadHand:
    hand = str(count)
    try:
        if isinstance(item, UnreadableHistory):
            raise item
        fields = item.get("ohh") if isinstance(item, dict) else None
        if not isinstance(fields, dict):
            raise UnreadableHistory("there is no object `ohh`")  # noqa: TRY301
        hand += f" (#{str(fields['game_number'])[:30]})" if "game_number" in fields else ""
        return _OhhReading(fields, count).hand()
    except UnreadableHistory as error:
        return UnreadHand(line, hand, str(error)[:200])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return UnreadHand(line, hand, f"a field is missing or wrong: {error}"[:200])


class _OhhReading:
    def __init__(self, fields: Json, count: int) -> None:
        limit = (fields.get("bet_limit") or {}).get("bet_type", "NL")
        game = str(fields.get("game_type"))
        if game.replace("'", "").lower() != "holdem" or limit != "NL":
            game = f"{game} {_LIMITS.get(limit, limit)}"
            raise UnreadableHistory(f"it is {game[:40]}: only No-Limit Hold'em is read")
        self._fields = fields
        dealer = whole_of(fields["dealer_seat"])
        dealt_in = self._dealt_in()
        players = [
            player
            for player in fields["players"]
            if player["id"] in dealt_in and not player.get("is_sitting_out")
        ]
        check_size(len(players))
        players.sort(
            key=lambda player: (whole_of(player["seat"]) <= dealer, whole_of(player["seat"]))
        )
        self._at = {player["id"]: seat for seat, player in enumerate(players)}
        number = number_in(str(fields.get("game_number", "")).rpartition("/")[2], count)
        self._draft = HandDraft(
            hand_id=str(fields.get("game_number") or f"hand/{count}"),
            table=str(fields.get("table_name") or "ohh"),
            number=number,
            players=[
                DraftPlayer(
                    str(player.get("display") or player["name"]),
                    max(0, whole_of(player["seat"]) - 1),
                    decimal_of(player["starting_stack"]),
                    str(player["name"]),
                )
                for player in players
            ],
            small_blind=decimal_of(fields.get("small_blind_amount") or 0),
            big_blind=decimal_of(fields.get("big_blind_amount") or 0),
            ante=decimal_of(fields.get("ante_amount") or 0),
            started_at=_time(fields.get("start_date_utc")),
            button=dealer - 1 if dealer > 0 else None,
            is_told_apart=fields.get("_is_told_apart") is True,
            is_cancelled=fields.get("_is_cancelled") is True,
        )

    def hand(self) -> HandHistory:
        draft = self._draft
        streets = [part.get("street") for part in self._fields["rounds"] if part.get("cards")]
        if any(streets.count(street) > 1 for street in ("Flop", "Turn", "River")):
            raise UnreadableHistory("the board was run twice or more: only one board is read")
        for part in self._fields["rounds"]:
            cards = cards_in("".join(part.get("cards") or ""))
            if cards:
                draft.deal(cards)
            for action in part.get("actions") or ():
                self._act(action)
        draft.pots = [
            [
                (self._at[win["player_id"]], decimal_of(win["win_amount"]))
                for win in pot.get("player_wins") or ()
            ]
            for pot in self._fields.get("pots") or ()
        ]
        taken = [pot.get(name) for pot in self._fields.get("pots") or () for name in _TAKEN]
        stated = [decimal_of(amount) for amount in taken if amount is not None]
        draft.rake = sum(stated, Decimal(0)) if stated else None
        return draft.hand()

    def _act(self, action: Json) -> None:
        draft, word = self._draft, action["action"]
        if word in _IGNORED:
            return
        seat = self._at[action["player_id"]]
        amount = decimal_of(action.get("amount") or 0)
        if word in _FORCED:
            is_dead = word == _DEAD or action.get("_is_dead") is True
            draft.post(seat, _FORCED[word], amount, is_dead=is_dead)
        elif word in {"Dealt Cards", "Shows Cards"}:
            cards = cards_in("".join(action.get("cards") or ""))
            if cards and word == "Shows Cards":
                draft.show(seat, cards)
            else:
                draft.players[seat].cards = cards or draft.players[seat].cards
        elif word == "Fold":
            draft.step("fold", seat)
        elif word == "Check":
            draft.step("add", seat)
        elif word in {"Bet", "Call", "Raise"}:
            draft.step("add", seat, amount)
        else:
            raise UnreadableHistory(f"{str(word)[:40]!r} is no action")

    def _dealt_in(self) -> set[Any]:
        """Return the ids of the players who did anything; who sits out does nothing."""
        return {
            action["player_id"]
            for part in self._fields["rounds"]
            for action in part.get("actions") or ()
            if action["action"] not in {"Sits Down", "Stands Up", "Added Chips"}
        }


def _time(text: Any) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(text))
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        time.astimezone(UTC)  # the first day of year 1 may be none there
    except (ValueError, OverflowError):
        return None
    return time


def ohh_text(hand: HandHistory) -> str:
    return json.dumps({"ohh": ohh(hand)}) + "\n"


def ohh(hand: HandHistory) -> Json:
    """Return a hand as the object `ohh`; the id of a player is its seat, from 1."""
    amount = Unit(decimals=hand.decimals).amount
    posts = [Post.of(bet) for bet in hand.forced]
    return {
        "spec_version": VERSION,
        "site_name": _SITE,
        "network_name": _SITE,
        "internal_version": VERSION,
        "tournament": False,
        "game_number": hand.hand_id,
        "start_date_utc": f"{time_of(hand).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "table_name": hand.table,
        "game_type": "Holdem",
        "bet_limit": {"bet_type": "NL", "bet_cap": 0},
        "table_size": max(hand.button_number, *(seat.number for seat in hand.seats)) + 1,
        "currency": "Chips",
        "dealer_seat": hand.button_number + 1,
        "small_blind_amount": amount(hand.small_blind),
        "big_blind_amount": amount(hand.big_blind),
        "ante_amount": amount(hand.ante),
        "flags": ["Observed"],
        "players": [
            {
                "id": number,
                "seat": seat.number + 1,
                "name": name,
                "display": seat.name,
                "starting_stack": amount(seat.stack),
                **({"_model": seat.model} if seat.model else {}),
            }
            for number, (seat, name) in enumerate(
                zip(hand.seats, _distinct(seat.name for seat in hand.seats), strict=True), 1
            )
        ],
        "rounds": list(_rounds(hand)),
        "pots": [
            {
                "number": number,
                "amount": amount(pot.amount + (0 if number else hand.rake)),
                "rake": 0 if number else amount(hand.rake),
                "player_wins": [
                    {"player_id": share.seat + 1, "win_amount": amount(share.amount)}
                    for share in pot.winners
                ],
            }
            for number, pot in enumerate(hand.pots)
        ],
        **({} if told_apart(posts, len(hand.seats)) == posts else {"_is_told_apart": True}),
        **({"_is_cancelled": True} if hand.is_cancelled else {}),
        **({"_decisions": _decisions(hand)} if hand.decided else {}),
    }


def _decisions(hand: HandHistory) -> list[Json]:
    """Return who decided and at what cost, which the format has no place for."""
    ids = {seat.player_id: number for number, seat in enumerate(hand.seats, 1)}
    return [
        {**said.model_dump(mode="json", exclude={"player_id"}), "player_id": ids[said.player_id]}
        for said in hand.decided
    ]


def _rounds(hand: HandHistory) -> Iterator[Json]:
    amount = Unit(decimals=hand.decimals).amount
    first: list[Json] = [
        {
            "player_id": bet.seat + 1,
            "action": _DEAD if bet.kind == "post" and bet.is_dead else _WORDS[bet.kind],
            "amount": amount(bet.amount),
            **({"_is_dead": True} if bet.kind != "post" and bet.is_dead else {}),
        }
        for bet in hand.forced
    ]
    first += [
        {"player_id": seat, "action": "Dealt Cards", "cards": list(player.cards)}
        for seat, player in enumerate(hand.seats, 1)
        if player.cards
    ]
    for street in range(hand.streets + 1):
        actions = [] if street else first
        actions += [_action(hand, action) for action in hand.actions if action.street == street]
        cards = hand.board[BOARD_SIZES[street - 1] : BOARD_SIZES[street]] if street else ()
        yield _round(street, STREETS[street].capitalize(), cards, actions)
    if hand.has_showdown:
        yield _round(hand.streets + 1, "Showdown", (), list(_shows(hand)))


def _round(number: int, street: str, cards: Iterable[str], actions: list[Json]) -> Json:
    numbered = [{"action_number": place, **action} for place, action in enumerate(actions, 1)]
    return {"id": number, "street": street, "cards": list(cards), "actions": numbered}


def _action(hand: HandHistory, action: Action) -> Json:
    """Return a decision; its amount are the chips that were put in by it."""
    # The format has no bet before the flop, where the blinds are the first bet.
    word = "Raise" if action.kind == "bet" and action.street == 0 else action.kind.capitalize()
    written: Json = {"player_id": action.seat + 1, "action": word}
    if action.added:
        written["amount"] = Unit(decimals=hand.decimals).amount(action.added)
        written["is_allin"] = action.is_all_in
    return written


def _shows(hand: HandHistory) -> Iterator[Json]:
    for item in hand.shown:
        yield {"player_id": item.seat + 1, "action": "Shows Cards", "cards": list(item.cards)}
    shown = {item.seat for item in hand.shown}
    for seat in hand.live:
        if seat not in shown:
            yield {"player_id": seat + 1, "action": "Mucks Cards"}


def _distinct(names: Iterable[str]) -> Iterator[str]:
    """Yield the names, with a number where two are equal: readers tell players by their names."""
    taken: set[str] = set()
    for name in names:
        unique, number = name, 1
        while unique in taken:
            number += 1
            unique = f"{name} ({number})"
        taken.add(unique)
        yield unique
