"""Titles and descriptions of previews. Pure."""

from casino_contracts import Card

from casino_lobby.preview.amounts import chips, signed
from casino_lobby.preview.facts import HandFacts, HandPlayer, RoomFacts

_WITHOUT_ARTICLE = frozenset({"Two Pair", "Three of a Kind", "Four of a Kind", "High Card"})
_SUITS = {"hearts": "♥", "diamonds": "♦", "clubs": "♣", "spades": "♠"}
_MOST_NAMES = 4
_STATUS_WORDS = {"running": "playing", "error": "failed"}


def hand_title(facts: HandFacts) -> str:
    """Return who won: "Maniac wins 603 with a Straight from Tight"."""
    detail = hand_detail(facts)
    return f"{hand_headline(facts)} {detail}" if detail else hand_headline(facts)


def hand_headline(facts: HandFacts) -> str:
    """Return who won how much."""
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
    """Return board, pot and shown hands in one line."""
    parts = [f"Hand {facts.number} in {facts.room_id}"]
    if facts.pot:
        parts.append(f"pot {chips(facts.pot)}")
    if facts.board:
        parts.append("board " + " ".join(map(card_text, facts.board)))
    parts += [_player(player, facts) for player in facts.players[:_MOST_NAMES]]
    return f"{' · '.join(parts)} – {casino}"  # noqa: RUF001  a dash


def _player(player: HandPlayer, facts: HandFacts) -> str:
    if player.cards:
        rank = f" ({player.rank_name})" if player.rank_name else ""
        return f"{player.name} {' '.join(map(card_text, player.cards))}{rank}"
    if facts.in_points:
        return f"{player.name} {chips(player.won)} points"
    return f"{player.name} {signed(player.won)}"


def card_text(card: Card) -> str:
    """Return a card as text: "10♥"."""
    rank = "10" if card.rank == "T" else card.rank
    return rank + _SUITS.get(card.suit, "")


def room_title(facts: RoomFacts) -> str:
    """Return the room and its leader: "main: Maniac leads with +603 after 17 hands"."""
    leader = room_leader(facts)
    return f"{facts.room_id}: {leader}" if leader else f"{facts.room_id}: {room_state(facts)}"


def room_leader(facts: RoomFacts) -> str | None:
    """Return who is ahead; None before a result."""
    name, net = facts.players[0] if facts.players else ("", 0.0)
    if not facts.hands or net <= 0:
        return None
    word = "won" if facts.status == "closed" else "leads"
    return f"{name} {word} with {signed(net)} after {_counted(facts.hands, 'hand')}"


def room_state(facts: RoomFacts) -> str:
    """Return the room's status and its numbers."""
    status = _STATUS_WORDS.get(facts.status, facts.status)
    players = _counted(len(facts.players), "player")
    return f"{status}, {players}, {_counted(facts.hands, 'hand')} played"


def room_description(facts: RoomFacts, casino: str) -> str:
    """Return who plays, with the results, in one line."""
    named = [f"{name} {signed(net)}" for name, net in facts.players[:_MOST_NAMES]]
    more = len(facts.players) - len(named)
    players = ", ".join(named) + (f" and {more} more" if more > 0 else "")
    who = f"{players} · " if players else ""
    return f"{who}{room_state(facts)} – {casino}"  # noqa: RUF001  a dash


def _counted(count: int, noun: str) -> str:
    """Return "1 hand", "2 hands"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
