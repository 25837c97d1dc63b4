"""Seat a player in a room: grant a name, invite its agent, then register it at the table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient, CommandRefused, RemoteAgent, Violation
from casino_agentkit.accepted_json import shown
from casino_contracts import (
    NoInput,
    PlayerSeat,
    Reason,
    RegisterPlayerInput,
    SeatPlayerInput,
    SignupInvitation,
    SignupResponse,
    seat_token,
)
from casino_contracts.player_messages import CARD_TIMEOUT, INVITED

from casino_lobby.domain.display_names import Granted, NameBook
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import PlayerAgent
from casino_lobby.domain.room_limits import SeatOrder
from casino_lobby.errors import StoreFailed
from casino_lobby.service.command_replies import CommandRun
from casino_lobby.store import Store
from casino_lobby.table_directory import Tables
from casino_lobby.table_messages import SeatReply, TableReply, translate_errors

_MAX_ID_ATTEMPTS = 5
_DESCRIPTION_SHOWN = 200

logger = structlog.get_logger(__name__)


class NameRegistry:
    """Grants names by `names`, whose owners are in `store`, where other lobbies add theirs."""

    def __init__(self, names: NameBook, store: Store) -> None:
        self._names = names
        self._store = store

    def learn(self, owners: Mapping[str, str]) -> None:
        self._names.learn(owners)

    def grant(self, name: str, signer: str | None, taken: Iterable[str]) -> Granted:
        return self._names.grant(name, signer, taken)

    async def keep(self, granted: Granted, signer: str | None) -> bool:
        """Return False if a player of another lobby owns the name by now. Raises StoreFailed."""
        if signer is None or granted.claim is None:
            return True
        try:
            await self._store.names.own(granted.claim, signer)
        except StoreFailed:
            owners = await self._store.names.all()
            if owners.get(granted.claim, signer) == signer:
                raise
            self._names.learn(owners)
            return False
        return True


async def invite(
    client: AgentClient,
    casino_name: str,
    room: Room,
    request: RegisterPlayerInput,
    player_id: str,
    timeout: timedelta,
) -> tuple[SignupResponse, RemoteAgent]:
    """Invite a player agent to a room; return its acceptance, and the agent.

    The invitation carries the seat token, with which the agent authenticates the table.

    Raises CommandRefused: AGENT_….
    """
    config = room.config
    invitation = SignupInvitation(
        casino_name=casino_name,
        table_id=room.table_id,
        room_id=room.room_id,
        min_buy_in=config.min_buy_in,
        max_buy_in=config.max_buy_in,
        small_blind=config.small_blind,
        big_blind=config.big_blind,
        player_id=player_id,
        seat_token=seat_token(room.secret, player_id) if room.is_keyed else None,
        game_type=room.game_type,
    )
    with translate_errors("The player"):
        player = await client.resolve(request.agent_card_url, timeout=CARD_TIMEOUT)
        signup = await player.call(
            request.signup_skill, invitation, SignupResponse, timeout=timeout, brief=INVITED
        )
    return signup, player


def _buy_in(room: Room, requested: float | None) -> float:
    """Return the stack of a player that asked for `requested`, within the room's limits.

    A player cannot know what other rooms allow: as in the original casino the nearest stack that
    the room allows is the answer, which the reply states. Raises CommandRefused: INVALID_AMOUNT.
    """
    if requested is None:
        return room.config.starting_stack
    stack = min(max(requested, room.config.min_buy_in), room.config.max_buy_in)
    if stack != requested:
        logger.info("buy_in_limited", room=room.room_id, requested=requested, granted=stack)
    try:
        room.unit.chips(stack)
    except ValueError as error:
        raise CommandRefused(
            Reason.INVALID_AMOUNT, f"buyIn: {error}.", (Violation("buyIn", str(error)),)
        ) from error
    return stack


async def find_earlier_seat(
    tables: Tables, room: Room, request: RegisterPlayerInput, run: CommandRun
) -> PlayerSeat | None:
    """Return the seat that this command got before a crash; None if it got none.

    The table is queried, because its event may not have arrived. The player agent is not called.
    Raises CommandRefused: AGENT_….
    """
    player_id = run.notes.get("playerId")
    agent = room.agents.get(player_id or "")
    if player_id is None or (agent and agent.card_url != request.agent_card_url):
        return None
    table = await tables.call(room, room.skills.summary, NoInput(), TableReply)
    return next((seat for seat in table.players or () if seat.player_id == player_id), None)


async def seat_unrecorded(tables: Tables, room: Room) -> None:
    """Have a room's table seat the players again whose registration is not recorded.

    The table that seated them has ended before it reported that; one that has the seat keeps it.
    A player whom the table refuses loses the seat: nothing was booked. Raises CommandRefused:
    AGENT_UNREACHABLE, AGENT_TIMED_OUT.
    """
    for player_id, agent in list(room.agents.items()):
        if player_id in room.reported_ids or player_id not in room.seats:
            continue
        seat = room.seats[player_id]
        player = SeatPlayerInput(
            player_id=player_id,
            display_name=seat.display_name,
            agent_card_url=agent.card_url,
            action_skill=agent.action_skill,
            plays_any_game=agent.plays_any_game or None,
            starting_stack=seat.stack,
            preferred_seat=seat.seat_number,
            seat_token=seat_token(room.secret, player_id),
            clock_ms=agent.clock_ms,
            player_type=agent.player_type,
            profile=agent.profile,
        )
        try:
            await tables.call(
                room, room.skills.register_, player, SeatReply, timeout=tables.patience(room)
            )
        except CommandRefused as refusal:
            if refusal.reason in {Reason.AGENT_UNREACHABLE, Reason.AGENT_TIMED_OUT}:
                raise
            logger.warning("seat_lost", room=room.room_id, player=player_id, reason=refusal.reason)
            room.remove_player(player_id)


def _likely_seat(room: Room, player: SeatPlayerInput) -> int:
    """Return the seat of a player whose table does not say which it is."""
    if player.player_id in room.seats:  # the table's event came before its reply
        return room.seats[player.player_id].seat_number
    taken = {seat.seat_number for seat in room.seats.values()}
    preferred = () if player.preferred_seat is None else (player.preferred_seat,)
    wanted = (*preferred, *range(room.config.max_seats))
    return next((number for number in wanted if number not in taken), 0)


@dataclass(frozen=True)
class Invitations:
    """Invites players and seats them at the tables of rooms."""

    client: AgentClient
    tables: Tables
    casino_name: str
    signup_timeout: timedelta
    names: NameRegistry
    _pending: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Room id and display name of players being seated, by command key."""

    async def seat(
        self, room: Room, request: SeatOrder, run: CommandRun
    ) -> tuple[PlayerSeat, PlayerAgent]:
        """Sign a player up and have the table seat it, under an id that is free in the room.

        The id is stored before it is sent, so that a resumed command gets the same seat.
        Raises CommandRefused: ROOM_FULL, PLAYER_ID_TAKEN, INVALID_AMOUNT, AGENT_…, and refusal
        reasons of the table.
        """
        try:
            return await self._seat(room, request, run)
        finally:
            self._pending.pop(run.key, None)

    async def _seat(
        self, room: Room, request: SeatOrder, run: CommandRun
    ) -> tuple[PlayerSeat, PlayerAgent]:
        player_id = run.notes.get("playerId")
        for _ in range(_MAX_ID_ATTEMPTS):
            if player_id is None:
                player_id = room.next_player_id()
                await run.store.save(room)  # no crash may give the id, and its token, to another
                await run.note(playerId=player_id)
            signup, invited = await invite(
                self.client, self.casino_name, room, request, player_id, self.signup_timeout
            )
            skill = request.action_skill or signup.action_skill
            player = SeatPlayerInput(
                player_id=player_id,
                display_name=await self._name(room, run, signup.display_name, invited.signer),
                agent_card_url=request.agent_card_url,
                action_skill=skill,
                plays_any_game=signup.plays_any_game,
                starting_stack=_buy_in(room, signup.buy_in),
                preferred_seat=request.preferred_seat,
                seat_token=seat_token(room.secret, player_id) if room.is_keyed else None,
                clock_ms=signup.clock_ms,
                player_type=signup.player_type,
                profile=signup.profile,
            )
            try:
                reply = await self.tables.call(room, room.skills.register_, player, SeatReply)
            except CommandRefused as refusal:
                if refusal.reason == Reason.TABLE_FULL:
                    raise CommandRefused(Reason.ROOM_FULL, refusal.message) from refusal
                if refusal.reason != Reason.PLAYER_ID_TAKEN:  # by a player that joined at the table
                    raise
                player_id = None
            else:
                agent = PlayerAgent(
                    request.agent_card_url,
                    skill,
                    signup.plays_any_game is True,
                    is_invited=True,
                    signer=invited.signer,
                    clock_ms=signup.clock_ms,
                    player_type=signup.player_type,
                    profile=signup.profile,
                    registrar=request.registrar,
                    description=shown(invited.card.description, _DESCRIPTION_SHOWN) or None,
                )
                return reply.completed(player, _likely_seat(room, player)), agent
        raise CommandRefused(Reason.PLAYER_ID_TAKEN, "No free player id was found; try again.")

    async def _name(self, room: Room, run: CommandRun, requested: str, signer: str | None) -> str:
        """Return a player's display name and store its owner; raises StoreFailed."""
        while True:
            granted = self.names.grant(requested, signer, self._taken(room, run))
            self._pending[run.key] = room.room_id, granted.name
            if await self.names.keep(granted, signer):
                return granted.name

    def _taken(self, room: Room, run: CommandRun) -> list[str]:
        """Return the names of the other players in a room, also of those being seated."""
        own_id = run.notes.get("playerId")
        taken = [seat.display_name for seat in room.seats.values() if seat.player_id != own_id]
        taken += [
            name
            for command, (room_id, name) in self._pending.items()
            if room_id == room.room_id and command != run.key
        ]
        return taken
