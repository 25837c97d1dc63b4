"""What previews say about rooms and hands, and its text: from public events alone. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from casino_contracts import Card, Standing, Standings
from casino_contracts.events.content import HandCompleted, HandStarted
from casino_contracts.events.payload_fields import ReportedSeat

from casino_lobby.domain.room import Room
from casino_lobby.store import StoredHand

MOST_PLAYERS = 10
"""Of a room or a hand; a third-party table may report any number."""
NAME_LIMIT = 40

_DECIMALS = 2
_WITHOUT_ARTICLE = frozenset({"Two Pair", "Three of a Kind", "Four of a Kind", "High Card"})
_SUITS = {"hearts": "♥", "diamonds": "♦", "clubs": "♣", "spades": "♠"}
_MOST_NAMES = 4
_STATUS_WORDS = {"running": "playing", "error": "failed"}


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


def chips(amount: float) -> str:
    return f"{amount:,.0f}" if amount == int(amount) else f"{amount:,.{_DECIMALS}f}"


def signed(amount: float) -> str:
    return "0" if amount == 0 else ("+" if amount > 0 else "−") + chips(abs(amount))  # noqa: RUF001


def hand_title(facts: HandFacts) -> str:
    """Return who won: "Maniac wins 603 with a Straight from Tight"."""
    detail = hand_detail(facts)
    return f"{hand_headline(facts)} {detail}" if detail else hand_headline(facts)


def hand_headline(facts: HandFacts) -> str:
    winners = [player for player in facts.players if player.won > 0]
    if facts.in_points and winners:
        return f"{winners[0].name} is first with {chips(winners[0].won)} points"
    if not winners:
        bank = facts.bank or 0
        return f"The bank wins {chips(bank)}" if bank > 0 else "Nobody wins"
    first = winners[0]
    equal = [player for player in winners if player.won == first.won]
    if len(equal) == 1:
        return f"{first.name} wins {chips(first.won)}"
    if len(equal) > 2:  # noqa: PLR2004  two are named
        return f"{len(equal)} players win {chips(first.won)} each"
    return f"{first.name} and {equal[1].name} win {chips(first.won)} each"


def hand_detail(facts: HandFacts) -> str:
    """Return with what, and from whom; empty if neither is known."""
    first = facts.players[0] if facts.players else None
    parts = []
    if first and first.won > 0 and first.rank_name:
        article = "" if first.rank_name in _WITHOUT_ARTICLE else "a "
        parts.append(f"with {article}{first.rank_name}")
    if facts.loser:
        parts.append(f"from {facts.loser}")
    return " ".join(parts)


def hand_description(facts: HandFacts, casino: str) -> str:
    parts = [f"Hand {facts.number} in {facts.room_id}"]
    if facts.pot:
        parts.append(f"pot {chips(facts.pot)}")
    if facts.board:
        parts.append("board " + " ".join(map(card_text, facts.board)))
    parts += [_shown_player(player, facts) for player in facts.players[:_MOST_NAMES]]
    return f"{' · '.join(parts)} – {casino}"  # noqa: RUF001  a dash


def _shown_player(player: HandPlayer, facts: HandFacts) -> str:
    if player.cards:
        rank = f" ({player.rank_name})" if player.rank_name else ""
        return f"{player.name} {' '.join(map(card_text, player.cards))}{rank}"
    if facts.in_points:
        return f"{player.name} {chips(player.won)} points"
    return f"{player.name} {signed(player.won)}"


def card_text(card: Card) -> str:
    rank = "10" if card.rank == "T" else card.rank
    return rank + _SUITS.get(card.suit, "")


def room_title(facts: RoomFacts) -> str:
    """Return the room and its leader: "main: Maniac leads with +603 after 17 hands"."""
    leader = room_leader(facts)
    return f"{facts.room_id}: {leader}" if leader else f"{facts.room_id}: {room_state(facts)}"


def room_leader(facts: RoomFacts) -> str | None:
    name, net = facts.players[0] if facts.players else ("", 0.0)
    if not facts.hands or net <= 0:
        return None
    word = "won" if facts.status == "closed" else "leads"
    return f"{name} {word} with {signed(net)} after {_counted(facts.hands, 'hand')}"


def room_state(facts: RoomFacts) -> str:
    status = _STATUS_WORDS.get(facts.status, facts.status)
    players = _counted(len(facts.players), "player")
    return f"{status}, {players}, {_counted(facts.hands, 'hand')} played"


def room_description(facts: RoomFacts, casino: str) -> str:
    named = [f"{name} {signed(net)}" for name, net in facts.players[:_MOST_NAMES]]
    more = len(facts.players) - len(named)
    players = ", ".join(named) + (f" and {more} more" if more > 0 else "")
    who = f"{players} · " if players else ""
    return f"{who}{room_state(facts)} – {casino}"  # noqa: RUF001  a dash


def _counted(count: int, noun: str) -> str:
    """Return "1 hand", "2 hands"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
