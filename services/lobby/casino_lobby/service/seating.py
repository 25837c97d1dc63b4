"""Bringing a player into a room: the invitation to its agent, then a seat at the table."""

from dataclasses import dataclass, field
from datetime import timedelta

from casino_agentkit import AgentClient, CommandRefused, Violation
from casino_contracts import (
    NoInput,
    PlayerSeat,
    RegisterPlayerInput,
    SeatPlayerInput,
    SignupInvitation,
    SignupResponse,
    TableSummary,
    seat_token,
)

from casino_lobby.domain.names import NameBook
from casino_lobby.domain.room import PlayerAgent, Room
from casino_lobby.service.idempotency import CommandRun
from casino_lobby.store.base import Store
from casino_lobby.tables.agent_errors import translate_errors
from casino_lobby.tables.directory import Tables

CARD_TIMEOUT = timedelta(seconds=5)
_IDS_TRIED = 5
_BRIEF = "A casino invites you to its table; accept by giving your display name."


async def invite(
    client: AgentClient,
    casino_name: str,
    room: Room,
    given: RegisterPlayerInput,
    player_id: str,
    timeout: timedelta,
) -> tuple[SignupResponse, str | None]:
    """Invite a player agent to a room; return its acceptance, and whose key signed its card.

    The invitation carries the seat's token, by which the agent knows the table again.

    Raises CommandRefused: AGENT_…, BUY_IN_OUT_OF_RANGE, INVALID_AMOUNT.
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
    )
    with translate_errors("The player"):
        player = await client.resolve(given.agent_card_url, timeout=CARD_TIMEOUT)
        signup = await player.call(
            given.signup_skill, invitation, SignupResponse, timeout=timeout, brief=_BRIEF
        )
    _check_buy_in(room, signup)
    return signup, player.signer


def _check_buy_in(room: Room, signup: SignupResponse) -> None:
    buy_in, config = signup.buy_in, room.config
    if buy_in is None:
        return
    if not config.min_buy_in <= buy_in <= config.max_buy_in:
        told = f"{config.min_buy_in} to {config.max_buy_in}"
        raise CommandRefused(
            "BUY_IN_OUT_OF_RANGE",
            f"The player asks for {buy_in} chips; this room allows {told}.",
            (Violation("buyIn", told),),
        )
    try:
        room.unit.chips(buy_in)
    except ValueError as error:
        raise CommandRefused(
            "INVALID_AMOUNT", f"buyIn: {error}.", (Violation("buyIn", str(error)),)
        ) from error


async def find_earlier_seat(
    tables: Tables, room: Room, given: RegisterPlayerInput, intent: CommandRun
) -> PlayerSeat | None:
    """Return the seat that this command got before a crash came between; None: it got none.

    The table is asked, for its event may still be on the way; the player need not be there.
    Raises CommandRefused: AGENT_….
    """
    player_id = intent.notes.get("playerId")
    known = room.agents.get(player_id or "")
    if player_id is None or (known and known.card_url != given.agent_card_url):
        return None
    table = await tables.call(room, room.skills.summary, NoInput(), TableSummary)
    return next((seat for seat in table.players if seat.player_id == player_id), None)


@dataclass(frozen=True)
class Invitations:
    """Brings players of one casino into rooms."""

    client: AgentClient
    tables: Tables
    casino_name: str
    signup_timeout: timedelta
    names: NameBook
    store: Store
    _under_way: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Room and name of players whose seats the room does not know yet, by their commands."""

    async def seat(
        self, room: Room, given: RegisterPlayerInput, intent: CommandRun
    ) -> tuple[PlayerSeat, PlayerAgent]:
        """Sign a player up and have the table seat it, under an id that is free in the room.

        The id is fixed before anybody hears of it: asked again after a crash, it gives the same
        seat. Raises CommandRefused: ROOM_FULL, PLAYER_ID_TAKEN, BUY_IN_OUT_OF_RANGE,
        INVALID_AMOUNT, AGENT_…, and whatever the table refuses.
        """
        try:
            return await self._seated(room, given, intent)
        finally:
            self._under_way.pop(intent.key, None)

    async def _seated(
        self, room: Room, given: RegisterPlayerInput, intent: CommandRun
    ) -> tuple[PlayerSeat, PlayerAgent]:
        player_id = intent.notes.get("playerId")
        for _ in range(_IDS_TRIED):
            if player_id is None:
                player_id = room.next_player_id()
                await intent.note(playerId=player_id)
            signup, signer = await invite(
                self.client, self.casino_name, room, given, player_id, self.signup_timeout
            )
            skill = given.action_skill or signup.action_skill
            player = SeatPlayerInput(
                player_id=player_id,
                display_name=await self._name(room, intent, signup.display_name, signer),
                agent_card_url=given.agent_card_url,
                action_skill=skill,
                plays_any_game=signup.plays_any_game,
                starting_stack=signup.buy_in or room.config.starting_stack,
                preferred_seat=given.preferred_seat,
                seat_token=seat_token(room.secret, player_id) if room.is_keyed else None,
            )
            try:
                seat = await self.tables.call(room, room.skills.register_, player, PlayerSeat)
            except CommandRefused as refusal:
                if refusal.reason == "TABLE_FULL":
                    raise CommandRefused("ROOM_FULL", refusal.message) from refusal
                if refusal.reason != "PLAYER_ID_TAKEN":  # by one who joined at the table itself
                    raise
                player_id = None
            else:
                agent = PlayerAgent(
                    given.agent_card_url,
                    skill,
                    signup.plays_any_game is True,
                    is_invited=True,
                    signer=signer,
                )
                return seat, agent
        raise CommandRefused("PLAYER_ID_TAKEN", "No free player id was found; try again.")

    async def _name(self, room: Room, intent: CommandRun, asked: str, signer: str | None) -> str:
        """Return under which name a player is shown; raises StoreFailed."""
        own_id = intent.notes.get("playerId")
        taken = [seat.display_name for seat in room.seats.values() if seat.player_id != own_id]
        taken += [
            name
            for command, (room_id, name) in self._under_way.items()
            if room_id == room.room_id and command != intent.key
        ]
        granted = self.names.grant(asked, signer, taken)
        self._under_way[intent.key] = room.room_id, granted.name
        if signer is not None and granted.claim is not None:
            await self.store.own_name(granted.claim, signer)
        return granted.name
