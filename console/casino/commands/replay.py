"""Command `casino room replay`: play one hand of the past alone, with other players.

It has the same deck, positions and blinds, in a room of its own.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Self

import typer
from casino_agentkit import ChildFailed
from casino_contracts import (
    HOLDEM,
    Card,
    CreateRoomInput,
    HandDetail,
    RegisterPlayerInput,
    RoomSnapshot,
    TableConfig,
)
from casino_contracts.events.content import HandStarted, content_of
from casino_contracts.events.payload_fields import ReportedSeat
from casino_lobby_client.errors import CallFailed
from pydantic import ValidationError

from casino.commands.context import (
    LOBBY_URL,
    AsJson,
    LobbyUrl,
    at_lobby,
    context_of,
    url,
    wrong_option,
)
from casino.commands.room_options import OPTIONS, Stack, hand_of
from casino.hand_history import hand_history
from casino.lobby_api import ENDING, LobbyApi
from casino.output import card_letters, counted
from casino.up.casino_plan import rules_over
from casino.up.casino_ports import KeptPort
from casino.up.run_report import Report
from casino.up.service_processes import ServiceProcesses
from casino.up.up_players import STYLES, single_players, start_players

_POLL_S = 0.1


@dataclass(frozen=True)
class PastHand:
    """What is repeated of a hand: its players from the button on, its blinds, and its deck."""

    number: int
    players: tuple[ReportedSeat, ...]
    config: TableConfig
    """The rules of a room in which it is the first and only hand."""
    board: tuple[Card, ...] = ()
    """As far as it was dealt."""

    @classmethod
    def of(cls, room: RoomSnapshot, hand: HandDetail, seed: str, stack: float | None) -> Self:
        """Return the hand; `stack` is that of every player, by default the one that they had.

        Where they had different stacks, it is the room's starting stack. Raises CallFailed for a
        hand that cannot be repeated, and ValidationError for a stack that does not fit.
        """
        number = hand.hand.hand_number
        contents = map(content_of, hand.events)
        started = next((item for item in contents if isinstance(item, HandStarted)), None)
        if room.game_type not in {None, HOLDEM}:
            raise CallFailed(
                f"room {room.room_id} plays {room.game_type}: only Hold'em is replayed"
            )
        if not room.seeded:
            raise CallFailed(f"room {room.room_id} has no seed, so its decks cannot be dealt again")
        if started is None or len(started.players) < 2:  # noqa: PLR2004  nobody plays alone
            raise CallFailed(f"the beginning of hand {number} of room {room.room_id} is not kept")
        players = _from_the_button(started)
        if len(players) > 2 and players[1].player_id in _big_blinds(started):  # noqa: PLR2004  heads-up it is
            raise CallFailed(
                f"hand {number} had a dead small blind: a new room's first hand cannot repeat it"
            )
        stacks = {seat.stack for seat in players if seat.stack}
        common = stacks.pop() if len(stacks) == 1 else room.config.starting_stack
        chosen: dict[str, object] = {
            "starting_stack": stack or common,
            "small_blind": started.small_blind or room.config.small_blind,
            "big_blind": started.big_blind or room.config.big_blind,
            "max_hands": 1,
            "max_seats": len(players),
            "seed": seed,
            "first_deck": room.config.model_copy(update={"seed": seed}).deck_of(number),
            "decks": None,
        }
        return cls(number, players, rules_over(room.config, chosen), hand.hand.community_cards)

    def check(self, number: int) -> None:
        """Raise CallFailed unless that many players play it."""
        if number != len(self.players):
            names = ", ".join(seat.name for seat in self.players)
            raise CallFailed(
                f"hand {self.number} had {counted(len(self.players), 'player')}, from the button"
                f" on: {names}. Name as many with --players, in this order"
            )


def _from_the_button(started: HandStarted) -> tuple[ReportedSeat, ...]:
    """Return the seats with the button first, where the first hand of a room has it.

    Before a dead button it is the last seat before that.
    """
    seats = sorted(started.players, key=lambda seat: seat.seat_number or 0)
    button = started.button_seat
    before = 1 if button is None else sum((seat.seat_number or 0) <= button for seat in seats)
    return (*seats[before - 1 :], *seats[: before - 1])


def _big_blinds(started: HandStarted) -> set[str]:
    return {posted.player_id for posted in started.posted if posted.kind == "big-blind"}


async def play_again(
    api: LobbyApi, room_id: str, hand: PastHand, cards: Sequence[str]
) -> HandDetail:
    """Play the hand, with `cards` from the button on, in a room of its own; raises CallFailed."""
    room = await api.create_room(
        CreateRoomInput(
            room_id=await _free_name(api, f"{room_id}-{hand.number}-again"), config=hand.config
        )
    )
    try:
        for number, card in enumerate(cards):
            await api.register(
                RegisterPlayerInput(
                    room_id=room.room_id, agent_card_url=card, preferred_seat=number
                )
            )
        while not (hands := (await api.hands(room.room_id, "oldest", 1)).hands):
            now = await api.room(room.room_id)
            if now.state in ENDING or (now.summary and now.summary.status == "error"):
                message = now.summary.message if now.summary else None
                raise CallFailed(f"room {room.room_id} cannot play: {message}")
            await asyncio.sleep(_POLL_S)
        if any(old != new for old, new in zip(hand.board, hands[0].community_cards, strict=False)):
            raise CallFailed(
                f"the seed is not that of room {room_id}: hand {hand.number} had the board"
                f" {card_letters(hand.board)}, and here it is"
                f" {card_letters(hands[0].community_cards)}"
            )
        with contextlib.suppress(CallFailed):  # other tables may keep no records
            # The lobby keeps a record that it has read; the table of a closed room is not asked.
            await api.hand_record(room.room_id, hands[0].hand_number, questions=False)
        return await api.hand(room.room_id, hands[0].hand_number)
    finally:
        await api.close_room(room.room_id)


async def _free_name(api: LobbyApi, prefix: str) -> str:
    taken = {room.room_id for room in (await api.rooms()).rooms}
    return next(name for number in count(1) if (name := f"{prefix}-{number}") not in taken)


def replay(
    context: typer.Context,
    hand: Annotated[
        str, typer.Argument(metavar="ROOM/NUMBER", help="A completed hand, such as main/17.")
    ],
    players: Annotated[
        str,
        typer.Option(
            help=f"Who plays, from the button on: of {', '.join(STYLES)}, and agent card URLs."
        ),
    ],
    seed: Annotated[str, typer.Option(help="The room's seed, as `casino up` prints it.")],
    stack: Stack = None,
    epoch: Annotated[
        int | None, typer.Option(min=1, help="The table's epoch. Default: the newest.")
    ] = None,
    lobby: LobbyUrl = LOBBY_URL,
    as_json: AsJson = False,
) -> None:
    """Play one hand again, with its deck and other players, and show it."""
    room_id, number = hand_of(hand, "ROOM/NUMBER")
    named = [player.strip() for player in players.split(",") if player.strip()]
    for player in named:
        if player not in STYLES:
            _card(player)

    async def play(api: LobbyApi) -> HandDetail:
        room, detail = await api.room(room_id), await api.hand(room_id, number, epoch)
        past = PastHand.of(room, detail, seed, stack)
        past.check(len(named))
        return await _played(api, lobby, room_id, past, named)

    try:
        played = at_lobby(context, lobby, play)
    except ValidationError as error:
        raise wrong_option(error, OPTIONS) from error
    output = context_of(context).output()
    if as_json:
        output.json(played)
    else:
        output.lines(hand_history(played))


def _card(player: str) -> str:
    try:
        return url(player)
    except typer.BadParameter as wrong:
        raise typer.BadParameter(
            f"{player} is neither one of {', '.join(STYLES)} nor a card's URL",
            param_hint="--players",
        ) from wrong


async def _played(
    api: LobbyApi, lobby_url: str, room_id: str, hand: PastHand, named: Sequence[str]
) -> HandDetail:
    """Start the sample players, play, and stop them; raises CallFailed."""
    processes = ServiceProcesses(Report(as_json=False), asyncio.Event())
    try:
        samples = single_players([player for player in named if player in STYLES])
        ports = [KeptPort()] * len(samples)
        started = iter(await start_players(processes, samples, lobby_url, ports, {}))
        cards = [next(started).cards[0] if player in STYLES else player for player in named]
        return await play_again(api, room_id, hand, cards)
    except ChildFailed as failed:
        raise CallFailed(str(failed)) from failed
    finally:
        await processes.stop()
