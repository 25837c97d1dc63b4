"""Write Open Hand History 1.4.6: one JSON object per hand, a blank line between two."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Any

from casino_contracts import Unit

from casino_histories.hand import BOARD_SIZES, STREETS, Action, HandHistory
from casino_histories.writing.undated import time_of

VERSION = "1.4.6"
_SITE = "A2A Casino"
_FORCED = {"ante": "Post Ante", "small-blind": "Post SB", "big-blind": "Post BB"}

Json = dict[str, Any]


def ohh_text(hand: HandHistory) -> str:
    """Return the JSON of a hand, on one line."""
    return json.dumps({"ohh": ohh(hand)}) + "\n"


def ohh(hand: HandHistory) -> Json:
    """Return a hand as the object `ohh`; the id of a player is its seat, from 1."""
    amount = Unit(decimals=hand.decimals).amount
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
        "table_size": max(seat.number for seat in hand.seats) + 1,
        "currency": "Chips",
        "dealer_seat": hand.seats[hand.button].number + 1,
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
            }
            for number, (seat, name) in enumerate(
                zip(hand.seats, _distinct(seat.name for seat in hand.seats), strict=True), 1
            )
        ],
        "rounds": list(_rounds(hand)),
        "pots": [
            {
                "number": number,
                "amount": amount(pot.amount),
                "rake": 0,
                "player_wins": [
                    {"player_id": share.seat + 1, "win_amount": amount(share.amount)}
                    for share in pot.winners
                ],
            }
            for number, pot in enumerate(hand.pots)
        ],
    }


def _rounds(hand: HandHistory) -> Iterator[Json]:
    amount = Unit(decimals=hand.decimals).amount
    first: list[Json] = [
        {"player_id": bet.seat + 1, "action": _FORCED[bet.kind], "amount": amount(bet.amount)}
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
