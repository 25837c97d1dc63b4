"""Output of `casino up`: a line per hand and a table of results, or JSON lines."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from casino_contracts import PlayerFault, Standing, Standings
from rich.console import Console
from rich.table import Table

from casino.output import (
    GUEST,
    Output,
    chips,
    cost_cells,
    cost_columns,
    counted,
    fault_word,
    half_width,
    plain,
    rate_cell,
    sanitize,
    signed,
)
from casino.up.session_score import CountedHand, PlayerScore, Score

_NOT_FAULTS: Final = frozenset({"retried", "sitting_out"})
"""Outcomes of decisions that a player made itself, or was not asked for."""
_LEAST_CHIP: Final = 1e-6


@dataclass(frozen=True)
class RoomResult:
    """What was played in a room, by the lobby's standings.

    `has_bank`: it may be a bank that has won or lost the chips which the players have not.
    """

    room: str
    standings: Standings
    has_bank: bool = False

    @property
    def hands(self) -> int:
        return self.standings.hands

    @property
    def in_play(self) -> float:
        return sum(player.stack for player in self.standings.players if not player.has_left)

    @property
    def missing(self) -> float:
        return -sum(player.net for player in self.standings.players)

    @property
    def bought_in(self) -> float:
        return self.in_play + self.missing

    @property
    def is_conserved(self) -> bool:
        return self.has_bank or abs(self.missing) < _LEAST_CHIP

    @property
    def leader(self) -> Standing | None:
        return max(self.standings.players, key=lambda player: player.net, default=None)

    @property
    def faults(self) -> int:
        """Number of decisions that were not the players' own, though they were asked."""
        return sum(map(faults_of, self.standings.players))


def faults_of(player: Standing) -> int:
    """Return how many decisions were not the player's own, though it was asked and there."""
    return sum(count for outcome, count in player.faults.items() if outcome not in _NOT_FAULTS)


def rooms_document(rooms: Sequence[RoomResult]) -> dict[str, Any]:
    """Return the results as JSON: those of each room and their sums; players as in the lobby."""
    return {
        "event": "rooms",
        **_sums(rooms),
        "rooms": [
            {
                "room": room.room,
                **_sums([room]),
                "players": [
                    player.model_dump(mode="json", exclude={"statistics", "latency"})
                    for player in room.standings.players
                ],
            }
            for room in rooms
        ],
    }


def _sums(rooms: Sequence[RoomResult]) -> dict[str, Any]:
    return {
        "hands": sum(room.hands for room in rooms),
        "chipsBoughtIn": sum(room.bought_in for room in rooms),
        "chipsInPlay": sum(room.in_play for room in rooms),
        "faults": sum(room.faults for room in rooms),
        "conserved": all(room.is_conserved for room in rooms),
    }


_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


class Report:
    """Writes text to standard output, or with `as_json` one JSON object per line."""

    def __init__(self, *, as_json: bool, console: Console | None = None) -> None:
        self._as_json = as_json
        self._console = console or Console(highlight=False, soft_wrap=True)

    def say(self, text: str, **fields: Any) -> None:
        if self._as_json:
            self._line({"event": "note", "text": text, **fields})
        else:
            self._console.print(sanitize(text), markup=False)

    def trouble(self, text: str, log: tuple[str, ...] = ()) -> None:
        """Write a failure with the last lines of the failed process's log."""
        if self._as_json:
            self._line({"event": "trouble", "text": text, "log": list(log)})
            return
        self._console.print(sanitize(text), style="bold red", markup=False)
        for line in log:
            self._console.print(f"    {sanitize(line)}", markup=False)

    def hand(self, hand: CountedHand) -> None:
        if self._as_json:
            self._line(
                {
                    "event": "hand",
                    "hand": hand.number,
                    "pot": hand.pot,
                    "board": list(hand.board),
                    "changes": hand.changes,
                    "message": hand.message,
                    "told": hand.message,  # deprecated name of `message`; goes next release
                }
            )
            return
        board = " ".join(card[0] + _SUITS[card[1]] for card in hand.board) or "no flop"
        pot = f"pot {chips(hand.pot):>6}   {board:<14}   " if hand.pot else ""
        line = f"hand {hand.number:>4}   {pot}{sanitize(hand.message)}"
        self._console.print(line, markup=False)

    def fault(self, player: PlayerScore, fault: PlayerFault) -> None:
        """Write why a decision of a player failed."""
        if self._as_json:
            self._line(
                {"event": "fault", "playerId": player.player_id, "name": player.name}
                | _fault(fault)
            )
            return
        text = f"{player.name}, {_words(fault)}"
        self._console.print(sanitize(text), style="yellow", markup=False)

    def results(self, score: Score, room_url: str = "") -> bool:
        """Write the results, guests behind the ranking; return whether every chip is there."""
        is_conserved = score.is_conserved
        players = sorted(score.players.values(), key=lambda player: player.is_guest)
        guests = [player for player in players if player.is_guest]
        if self._as_json:
            self._line(results_document(score))
            return is_conserved
        table = Table(title=counted(score.hands, "hand"), title_justify="left")
        for column in ("player", "net", score.rate_name, "95 % ±", "stack", "bought", "faults"):
            table.add_column(column, justify="left" if column == "player" else "right")
        ranking = sorted(players, key=lambda player: (player.is_guest, -player.net))
        for place, player in enumerate(ranking, start=1):
            table.add_row(
                plain(player.name + GUEST * player.is_guest),
                signed(player.net),
                rate_cell(player.rate.per_100, player.rate.half_interval),
                half_width(player.rate.half_interval),
                chips(player.stack),
                chips(player.bought),
                str(player.faults),
                end_section=place == len(ranking) - len(guests),
            )
        self._console.print(table)
        for player in ranking:
            if player.failed_answers or player.outcomes["sitting_out"] or player.outcomes["away"]:
                self._console.print(sanitize(_faults(player)), markup=False)
        costs = ((player.name, player.decision_costs) for player in ranking)
        if rows := [cost_cells(name, sums) for name, sums in costs if sums]:
            Output(self._console).table(cost_columns(score.rate_name.partition("/")[0]), rows)
        if biggest := score.biggest:
            pot = f", pot {chips(biggest.pot)}" if biggest.pot else ""
            link = f"   {room_url}/hands/{biggest.number}" if room_url else ""
            self._console.print(f"biggest  hand {biggest.number}{pot}{link}", markup=False)
        summary = f"chips in play {chips(score.in_play)}, bought in {chips(score.bought_in)}: "
        if score.bank:
            summary = f"the bank has {signed(score.bank)}, {summary}"
        if is_conserved:
            self._console.print(summary + "every chip is there", markup=False)
        else:
            self.trouble(summary + "chips were lost or created")
        return is_conserved

    def rooms(self, rooms: Sequence[RoomResult], faults: Sequence[str]) -> None:
        """Write the results of all rooms and their sums; `faults` are lines on failed decisions."""
        if self._as_json:
            self._line(rooms_document(rooms) | {"lastFaults": [*faults]})
            return
        table = Table(title=counted(len(rooms), "room"), title_justify="left")
        for column in ("room", "hands", "ahead", "net", "faults", "in play", "bought in"):
            table.add_column(column, justify="left" if column in {"room", "ahead"} else "right")
        for place, room in enumerate(rooms, start=1):
            leader = room.leader
            table.add_row(
                plain(room.room),
                str(room.hands),
                plain(leader.display_name if leader else "-"),
                signed(leader.net) if leader else "-",
                str(room.faults),
                chips(room.in_play),
                chips(room.bought_in),
                end_section=place == len(rooms),
            )
        sums = rooms_document(rooms)
        in_play, bought_in = chips(sums["chipsInPlay"]), chips(sums["chipsBoughtIn"])
        table.add_row("all", str(sums["hands"]), "", "", str(sums["faults"]), in_play, bought_in)
        self._console.print(table)
        for line in faults:
            self._console.print(sanitize(line), markup=False)
        summary = f"all rooms: chips in play {in_play}, bought in {bought_in}: "
        lost = [room.room for room in rooms if not room.is_conserved]
        if lost:
            self.trouble(f"{summary}chips were lost or created in {', '.join(lost)}")
        elif in_play == bought_in:
            self._console.print(f"{summary}every chip is there", markup=False)
        else:
            self._console.print(f"{summary}the bank has the difference", markup=False)

    def _line(self, fields: dict[str, Any]) -> None:
        self._console.print(json.dumps(fields, ensure_ascii=False), markup=False)


def results_document(score: Score) -> dict[str, Any]:
    players = [*score.players.values()]
    return {
        "event": "results",
        "hands": score.hands,
        "chipsBoughtIn": score.bought_in,
        "chipsInPlay": score.in_play,
        "house": score.bank,
        "conserved": score.is_conserved,
        "biggestHand": score.biggest.number if score.biggest else None,
        "players": [_result(player) for player in players if not player.is_guest],
        "guests": [_result(player) for player in players if player.is_guest],
    }


def _result(player: PlayerScore) -> dict[str, Any]:
    half_interval, costs = player.rate.half_interval, player.decision_costs
    return {
        "playerId": player.player_id,
        "name": player.name,
        "net": player.net,
        "bbPer100": round(player.rate.per_100, 2),
        "halfInterval95": None if half_interval is None else round(half_interval, 2),
        "stack": player.stack,
        "bought": player.bought,
        "outcomes": dict(player.outcomes),
        "defaulted": dict(player.defaults),
        "model": player.model,
        "costs": costs and costs.model_dump(mode="json"),
        "lastFault": _fault(player.last_fault) if player.last_fault else None,
    }


def _fault(fault: PlayerFault) -> dict[str, Any]:
    return {
        "hand": fault.hand_number,
        "outcome": fault.outcome,
        "defaulted": fault.defaulted,
        "reason": fault.reason,
    }


def _words(fault: PlayerFault) -> str:
    reason = fault.reason or "no reason was reported"
    return f"hand {fault.hand_number}: {fault_word(fault)}, {reason}"


def _faults(player: PlayerScore) -> str:
    counts = ", ".join(
        f"{count} {outcome.replace('_', ' ')}"
        for outcome, count in player.outcomes.items()
        if outcome != "ok"
    )
    if player.outcomes["defaulted"]:
        reasons = (f"{reason} {count}" for reason, count in player.defaults.items())
        counts += f" ({', '.join(reasons).replace('_', ' ')})"
    last = f"; last, {_words(player.last_fault)}" if player.last_fault else ""
    return f"{player.name}: {counts}{last}"
