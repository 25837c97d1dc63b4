"""Bringing a player into a room: the invitation to its agent, then a seat at the table."""

from datetime import timedelta

from casino_agentkit import AgentClient, Refusal, Violation
from casino_contracts import (
    NoInput,
    PlayerSeat,
    RegisterPlayerInput,
    SeatPlayerInput,
    SignupInvitation,
    SignupResponse,
    TableSummary,
)

from casino_lobby.agents import speaking_for
from casino_lobby.intents import Intent
from casino_lobby.rooms import Room
from casino_lobby.tables import Tables

CARD_TIMEOUT = timedelta(seconds=5)
_IDS_TRIED = 5
_BRIEF = "A casino invites you to its table; accept by giving your display name."


async def invite(
    client: AgentClient,
    casino_name: str,
    room: Room,
    given: RegisterPlayerInput,
    timeout: timedelta,
) -> SignupResponse:
    """Invite a player agent to a room and return its acceptance.

    Raises Refusal: AGENT_…, BUY_IN_OUT_OF_RANGE, INVALID_AMOUNT.
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
    )
    with speaking_for("The player"):
        player = await client.resolve(given.agent_card_url, timeout=CARD_TIMEOUT)
        signup = await player.call(
            given.signup_skill, invitation, SignupResponse, timeout=timeout, brief=_BRIEF
        )
    _check_buy_in(room, signup)
    return signup


def _check_buy_in(room: Room, signup: SignupResponse) -> None:
    buy_in, config = signup.buy_in, room.config
    if buy_in is None:
        return
    if not config.min_buy_in <= buy_in <= config.max_buy_in:
        told = f"{config.min_buy_in} to {config.max_buy_in}"
        raise Refusal(
            "BUY_IN_OUT_OF_RANGE",
            f"The player asks for {buy_in} chips; this room allows {told}.",
            (Violation("buyIn", told),),
        )
    try:
        room.unit.chips(buy_in)
    except ValueError as error:
        raise Refusal(
            "INVALID_AMOUNT", f"buyIn: {error}.", (Violation("buyIn", str(error)),)
        ) from error


async def seat_given_before(
    tables: Tables, room: Room, given: RegisterPlayerInput, intent: Intent
) -> PlayerSeat | None:
    """Return the seat that this command got before a crash came between; None: it got none.

    The table is asked, for its event may still be on the way; the player need not be there.
    Raises Refusal: AGENT_….
    """
    player_id = intent.notes.get("playerId")
    known = room.agents.get(player_id or "")
    if player_id is None or (known and known.card_url != given.agent_card_url):
        return None
    table = await tables.call(room, room.skills.summary, NoInput(), TableSummary)
    return next((seat for seat in table.players if seat.player_id == player_id), None)


async def give_seat(
    tables: Tables,
    room: Room,
    given: RegisterPlayerInput,
    signup: SignupResponse,
    intent: Intent,
) -> PlayerSeat:
    """Have the table seat a player who has signed up, under an id that is free in the room.

    The id is fixed before the table hears of it: asked again after a crash, it gives the same seat.

    Raises Refusal: ROOM_FULL, PLAYER_ID_TAKEN, AGENT_…, and whatever the table refuses.
    """
    player_id = intent.notes.get("playerId")
    for _ in range(_IDS_TRIED):
        if player_id is None:
            player_id = room.next_player_id()
            await intent.note(playerId=player_id)
        player = SeatPlayerInput(
            player_id=player_id,
            display_name=signup.display_name,
            agent_card_url=given.agent_card_url,
            action_skill=given.action_skill or signup.action_skill,
            plays_any_game=signup.plays_any_game,
            starting_stack=signup.buy_in or room.config.starting_stack,
            preferred_seat=given.preferred_seat,
        )
        try:
            return await tables.call(room, room.skills.register_, player, PlayerSeat)
        except Refusal as refusal:
            if refusal.reason == "TABLE_FULL":
                raise Refusal("ROOM_FULL", refusal.message) from refusal
            if refusal.reason != "PLAYER_ID_TAKEN":  # by one who joined at the table itself
                raise
            player_id = None
    raise Refusal("PLAYER_ID_TAKEN", "No free player id was found; try again.")
