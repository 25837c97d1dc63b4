"""What previews say about rooms and hands: from public events alone. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from casino_contracts import Card, Standing, Standings
from casino_contracts.events.content import HandCompleted, HandStarted, ReportedSeat

from casino_lobby.domain.room import Room
from casino_lobby.store import StoredHand

MOST_PLAYERS = 10
"""Of a room or a hand; a third-party table may report any number."""
NAME_LIMIT = 40


@dataclass(frozen=True)
class HandPlayer:
    """A player who won something or showed cards."""

    name: str
    won: float
    """From the pots; in a game without pots what the player won or, negative, lost."""
    cards: tuple[Card, ...] = ()
    rank_name: str = ""


@dataclass(frozen=True)
class HandFacts:
    """A completed hand; the winners come first, the largest of them at the beginning."""

    room_id: str
    number: int
    epoch: int
    players: tuple[HandPlayer, ...]
    board: tuple[Card, ...]
    pot: float | None
    """None in a game without pots."""
    loser: str | None
    """The name of the only winner's largest payer, if that is known."""
    bank: float | None
    """What the bank won or, negative, lost."""
    in_points: bool = False


@dataclass(frozen=True)
class RoomFacts:
    """A room and who plays there."""

    room_id: str
    status: str
    hands: int
    players: tuple[tuple[str, float], ...]
    """Names and net results, the best first."""
    is_holdem: bool


def room_facts(room: Room, standings: Standings, *, is_holdem: bool) -> RoomFacts:
    """Return what a preview says about a room."""
    at_table = {seat.player_id for seat in room.seats.values()}
    counted = [player for player in standings.players if _is_shown(player, at_table)]
    players = [(cut(player.display_name), float(player.net)) for player in counted]
    counted_ids = {player.player_id for player in counted}
    players += [
        (cut(seat.display_name), 0.0)
        for seat in room.seats.values()
        if seat.player_id not in counted_ids
    ]
    shown = tuple(players[:MOST_PLAYERS])
    return RoomFacts(cut(room.room_id), room.status, room.hand_count, shown, is_holdem)


def _is_shown(player: Standing, at_table: set[str]) -> bool:
    return player.hands > 0 or player.player_id in at_table


def hand_facts(
    room: Room, hand: StoredHand, started: HandStarted | None, names: Mapping[str, str]
) -> HandFacts:
    """Return what a preview says about a hand; `names` are those of players who were in others."""
    content = HandCompleted(hand.completed.payload)
    seats = started.players if started else ()
    names = {**names, **{seat.player_id: seat.name for seat in seats}}
    won = _won(content)
    shown = {player.player_id: player for player in content.shown}
    order = sorted({**won, **shown}, key=lambda player_id: -won.get(player_id, 0))
    players = tuple(
        HandPlayer(
            cut(names.get(player_id, player_id)),
            won.get(player_id, 0),
            shown[player_id].cards[:MOST_PLAYERS] if player_id in shown else (),
            cut(shown[player_id].rank_name) if player_id in shown else "",
        )
        for player_id in order[:MOST_PLAYERS]
    )
    is_holdem = content.scores is None and not content.points
    payer = _payer(content, seats) if is_holdem and len(won) == 1 else None
    return HandFacts(
        room_id=cut(room.room_id),
        number=hand.key.number,
        epoch=hand.key.epoch,
        players=players,
        board=content.community_cards[:5],
        pot=sum(pot.amount for pot in content.pots) if is_holdem else None,
        loser=None if payer is None or payer in won else cut(names.get(payer, payer)),
        bank=content.house,
        in_points=bool(content.points),
    )


def _won(content: HandCompleted) -> dict[str, float]:
    """Return what each player won, or what a game counts instead."""
    if content.points:
        return {line.player_id: line.points for line in content.points}
    if content.scores is not None:
        return dict(content.scores)
    won: dict[str, float] = {}
    for pot in content.pots:
        for share in pot.winners:
            won[share.player_id] = won.get(share.player_id, 0) + share.amount
    return won


def _payer(content: HandCompleted, seats: Sequence[ReportedSeat]) -> str | None:
    """Return who lost most; None if nobody did, or several lost the same."""
    after = {player.player_id: player.stack for player in content.stacks}
    lost = {
        seat.player_id: seat.stack - stack
        for seat in seats
        if seat.stack is not None and (stack := after.get(seat.player_id)) is not None
    }
    most = max(lost.values(), default=0)
    payers = [player_id for player_id, amount in lost.items() if amount == most]
    return payers[0] if most > 0 and len(payers) == 1 else None


def cut(name: str) -> str:
    """Return a name of at most `NAME_LIMIT` characters.

    >>> len(cut("x" * 100))
    40
    """
    return name if len(name) <= NAME_LIMIT else name[: NAME_LIMIT - 1].rstrip() + "…"
