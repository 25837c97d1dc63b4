"""What a seat tells its language model: the question, who sits where, what happened since. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import orjson
from casino_contracts import HOLDEM, TableEvent
from casino_contracts.events.content import ActionTaken, content_of
from casino_contracts.play_counts import positions
from casino_gamespec.choice import range_of
from casino_seats.errors import ActionRefused
from casino_seats.turns import Question

from casino_gateway.model_context.mcp_messages import (
    Happened,
    Json,
    Status,
    TablePlayer,
    TalkOfOthers,
    TurnReport,
)
from casino_gateway.seats.live_seat import LiveSeat

MOST_EVENTS: Final = 80
"""How many events since the last decision are told, the newest."""
_TOLD_OF_HIDDEN: Final = (
    "action",
    "amount",
    "bettingRound",
    "communityCards",
    "handNumber",
    "kind",
    "pot",
    "stack",
)
"""Fields of an event that no other player can write."""
_LEFT_OUT: Final = {"state", "latencyMs", "message"}
"""Fields of an event that the report has elsewhere, or that decide nothing."""
_NEXT: Final[dict[Status, str]] = {
    "your_turn": "Decide, and call act with this turn and one of legal_actions.",
    "waiting": "Call wait_for_turn again: nothing is asked of you yet.",
    "sitting_out": "Call wait_for_turn: it brings you back at the next hand.",
    "over": "The session is over for this seat. standings has the results.",
}


class ToldPlayers:
    """How players are named: by id and name, or, hidden, by seat number alone.

    Ids and names are words of other players, which a prompt may have to leave out.
    """

    def __init__(self, seat: LiveSeat, *, are_hidden: bool) -> None:
        self.are_hidden = are_hidden
        everybody = {**seat.match.gone, **seat.match.seats}.values()
        own = seat.identity
        numbers = {player.player_id: player.number for player in everybody}
        numbers.setdefault(own.player_id, own.seat_number)
        self._aliases = {
            player_id: f"seat-{number}" for player_id, number in numbers.items() if are_hidden
        }
        self._meant = {alias: player_id for player_id, alias in self._aliases.items()}

    def told(self, value: Any) -> Any:
        """Return JSON with players as they are told."""
        return _replaced(value, self._aliases) if self.are_hidden else value

    def meant(self, value: Any) -> Any:
        """Return JSON of the model with the players' ids."""
        return _replaced(value, self._meant) if self.are_hidden else value

    def name(self, name: str) -> str | None:
        return None if self.are_hidden else name

    def happened(self, event: TableEvent) -> Happened:
        payload = event.payload or {}
        if not self.are_hidden:
            data = {name: part for name, part in payload.items() if name not in _LEFT_OUT}
            return Happened(words=event.message, data={"event": event.event_type, **data})
        data = {name: payload[name] for name in _TOLD_OF_HIDDEN if name in payload}
        who = self._aliases.get(str(payload.get("playerId")), "somebody")
        if "playerId" in payload:
            data["playerId"] = who
        words = " ".join(str(data[name]) for name in ("kind", "action", "amount") if name in data)
        subject = f"{who}: " if "playerId" in payload else ""
        return Happened(
            words=f"{subject}{words or event.event_type.replace('_', ' ')}",
            data={"event": event.event_type, **data},
        )

    def said(self, events: Iterable[TableEvent], own_id: str) -> list[TalkOfOthers]:
        """Return the table talk of others."""
        if self.are_hidden:
            return []
        contents = (content_of(event) for event in events if event.event_type == "action_taken")
        return [
            TalkOfOthers(player=content.player_id, text=content.message)
            for content in contents
            if isinstance(content, ActionTaken) and content.message
            if content.player_id != own_id
        ]


def report(
    seat: LiveSeat,
    events: Sequence[TableEvent],
    others: ToldPlayers,
    now: float,
    waits: list[Json],
) -> TurnReport:
    """Return a seat's turn, or what it waits for; `now` is the time of the questions' clock."""
    question, identity = seat.question, seat.identity
    status = status_of(seat)
    turn = TurnReport(
        status=status,
        room=identity.room_id,
        game=identity.game_type,
        hand_number=question.hand_number if question else seat.hand_number,
        since=[others.happened(event) for event in events[-MOST_EVENTS:]],
        said=others.said(events[-MOST_EVENTS:], identity.player_id),
        result=None if question else others.told(seat.result),
        ended=seat.closed.reason if seat.closed else None,
        waits=waits,
        next=_NEXT[status],
    )
    view = question.state if question else seat.view
    turn.players = _players(seat, view or {}, others)
    if question is not None:
        turn.turn, turn.rejected = question.turn, question.rejected
        turn.time_left_s = round(question.left_ms(now) / 1000, 1)
        turn.legal_actions = others.told(list(question.offers))
        turn.state = others.told(question.state)
        turn.question = _in_words(question, turn.legal_actions, turn.players)
    return turn


def status_of(seat: LiveSeat) -> Status:
    if seat.question is not None:
        return "your_turn"
    if seat.closed is not None or seat.match.stage in {"ended", "abandoned"}:
        return "over"
    return "sitting_out" if seat.is_sitting_out else "waiting"


def refusal_in_words(live: LiveSeat, refused: ActionRefused, others: ToldPlayers) -> str:
    """Return why an action is refused, and what to do then."""
    text = f"{refused.reason}: {refused.message.rstrip('.')}."
    if live.question is not None and refused.offers:
        offers = orjson.dumps(others.told(list(refused.offers))).decode()
        return f"{text} The question of turn {live.turn} is open; legal_actions: {offers}"
    if status_of(live) == "over":
        return f"{text} The session is over for this seat: call standings."
    return f"{text} Call wait_for_turn."


def _players(seat: LiveSeat, view: Mapping[str, Any], others: ToldPlayers) -> list[TablePlayer]:
    public = view.get("public", {})
    is_holdem = seat.identity.game_type == HOLDEM and isinstance(public, dict)
    dealt = (
        {player["player_id"]: player for player in public.get("players", ())} if is_holdem else {}
    )
    places = _positions(public, list(dealt)) if dealt else {}
    return [
        TablePlayer(
            player=others.told(player.player_id),
            name=others.name(player.name),
            seat_number=player.number,
            chips=dealt.get(player.player_id, {}).get("stack", player.stack),
            bet=dealt.get(player.player_id, {}).get("bet"),
            status=dealt.get(player.player_id, {}).get("status"),
            position=places.get(player.player_id),
            is_you=player.player_id == seat.identity.player_id,
        )
        for player in seat.match.in_order
    ]


def _positions(public: Json, clockwise: list[str]) -> dict[str, str]:
    left = clockwise.index(public["button"]) + 1 if public.get("button") in clockwise else 0
    order = clockwise[left:] + clockwise[:left]
    if len(order) < 2:  # noqa: PLR2004
        return {}
    names = positions(len(order), has_small_blind=public.get("small_blind", 0) > 0)
    return dict(zip(order, names, strict=True))


def _in_words(question: Question, offered: Sequence[Json], players: Sequence[TablePlayer]) -> str:
    """Return the decision in one sentence; `offered` names players as they are told."""
    offers = ", ".join(map(_offer_in_words, offered))
    public = question.state.get("public", {})
    me = next((player for player in players if player.is_you), None)
    if question.game_type != HOLDEM or me is None or me.bet is None:
        return f"You may: {offers}."
    cards = " ".join(question.state.get("private", {}).get("hole_cards", ()))
    board = " ".join(public.get("community_cards", ())) or "no board"
    to_call = min(max(0, public.get("current_bet", 0) - me.bet), me.chips)
    return (
        f"{public.get('betting_round')}: you are {me.position} with {cards}, {board}."
        f" Pot {public.get('pot')}, {to_call:g} to call, you have {me.chips:g} left."
        f" You may: {offers}."
    )


def _offer_in_words(offer: Json) -> str:
    kind, limits = str(offer.get("action_type")), range_of(offer)
    if limits is not None:
        return f"{kind} to an amount from {limits[0]} to {limits[1]}"
    more = [f"{name} {value}" for name, value in offer.items() if name != "action_type"]
    return f"{kind} ({', '.join(more)})" if more else kind


def _replaced(value: Any, words: Mapping[str, str]) -> Any:
    match value:
        case str():
            return words.get(value, value)
        case dict():
            return {words.get(key, key): _replaced(part, words) for key, part in value.items()}
        case list() | tuple():
            return [_replaced(part, words) for part in value]
        case _:
            return value
