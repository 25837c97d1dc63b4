"""Read Open Hand History: JSON objects one after the other, or a list of them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from casino_contracts.foreign_text import FILE_LIMITS, TextLimits, no_constant

from casino_histories.amounts import decimal_of, whole_of
from casino_histories.errors import UnreadableHistory
from casino_histories.hand import ForcedKind, HandHistory
from casino_histories.reading.draft import Draft, DraftPlayer, cards_in, check_size, number_in

_FORCED: dict[str, ForcedKind] = {
    "Post Ante": "ante",
    "Post SB": "small-blind",
    "Post BB": "big-blind",
    "Straddle": "big-blind",
    "Post Extra Blind": "big-blind",
}
_IGNORED = {"Mucks Cards", "Added Chips", "Sits Down", "Stands Up"}

Json = dict[str, Any]


def read_ohh(text: str, limits: TextLimits = FILE_LIMITS) -> Iterator[HandHistory]:
    """Yield the hands of a file; raises UnreadableHistory, naming the hand."""
    decoder = json.JSONDecoder(parse_float=str, parse_constant=no_constant)
    at, count = 0, 0
    try:
        limits.check_json(text)
    except ValueError as error:
        raise UnreadableHistory(str(error)) from error
    while at < len(text):
        if text[at] in " \t\r\n\ufeff":
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            fault = f"hand {count + 1} is no JSON: {error}"
            raise UnreadableHistory(fault[:200]) from error
        for item in value if isinstance(value, list) else [value]:
            count += 1
            yield _hand(item, count)


def _hand(item: Any, count: int) -> HandHistory:
    fields = item.get("ohh") if isinstance(item, dict) else None
    if not isinstance(fields, dict):
        raise UnreadableHistory(f"hand {count}: there is no object `ohh`")
    try:
        return _Reading(fields, count).hand()
    except UnreadableHistory as error:
        raise UnreadableHistory(f"hand {count}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        fault = f"hand {count}: a field is missing or wrong: {error}"
        raise UnreadableHistory(fault[:200]) from error


class _Reading:
    def __init__(self, fields: Json, count: int) -> None:
        limit = (fields.get("bet_limit") or {}).get("bet_type", "NL")
        if fields.get("game_type") != "Holdem" or limit != "NL":
            raise UnreadableHistory("it is no hand of No-Limit Texas Hold'em")
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
        self._draft = Draft(
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
        )

    def hand(self) -> HandHistory:
        draft = self._draft
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
        return draft.hand()

    def _act(self, action: Json) -> None:
        draft, word = self._draft, action["action"]
        if word in _IGNORED:
            return
        seat = self._at[action["player_id"]]
        amount = decimal_of(action.get("amount") or 0)
        if word in _FORCED:
            draft.post(seat, _FORCED[word], amount)
        elif word == "Post Dead":
            draft.post(seat, "ante", amount, is_dead=True)
        elif word in {"Dealt Cards", "Shows Cards"}:
            cards = cards_in("".join(action.get("cards") or ""))
            draft.players[seat].cards = cards or draft.players[seat].cards
            if cards and word == "Shows Cards":
                draft.show(seat, cards)
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
