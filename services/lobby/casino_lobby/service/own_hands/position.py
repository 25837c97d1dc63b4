"""The name of a player's position in a hand of Hold'em. Pure."""

from casino_contracts.events.content import HandStarted

_BLINDS = {"small-blind": "SB", "big-blind": "BB"}
_LATE = ("CO", "HJ")


def position_of(hand: HandStarted, player_id: str) -> str | None:
    """Return BTN, SB, BB, CO, HJ, UTG, UTG+1, …; None where the event does not tell it.

    The player to the button's right is CO, and the next one HJ if somebody is before it. With two
    players the button posts the small blind, and is BTN.
    """
    button = hand.button_seat
    numbers = {
        seat.player_id: seat.seat_number for seat in hand.players if seat.seat_number is not None
    }
    if hand.game_type is not None or button is None or player_id not in numbers:
        return None
    if numbers[player_id] == button:
        return "BTN"
    blinds = {bet.player_id: _BLINDS[bet.kind] for bet in hand.posted if bet.kind in _BLINDS}
    if player_id in blinds:
        return blinds[player_id]
    behind = sorted(numbers, key=lambda name: (numbers[name] <= button, numbers[name]))
    others = [name for name in behind if name not in blinds and numbers[name] != button]
    late = dict(zip(reversed(others), _LATE[: max(1, len(others) - 1)], strict=False))
    early = others.index(player_id)
    return late.get(player_id) or ("UTG" if early == 0 else f"UTG+{early}")
