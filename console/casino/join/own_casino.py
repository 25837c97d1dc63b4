"""A casino of the bot's own: `casino join --up`."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress

from casino_lobby_client.errors import CallFailed

from casino.join.joined_player import BotLog, JoinedPlayer, served
from casino.join.joining import BotJoinOrder, Following, own_link
from casino.lobby_api import LobbyApi
from casino.operator_key import FAULTS_KEY, LOBBY_KEY, OperatorKey
from casino.up.casino_plan import DEFAULT_STYLES, ROOM, CasinoPlan, new_seed
from casino.up.casino_ports import CasinoPorts
from casino.up.casino_run import Up
from casino.up.run_report import Report


class OwnCasino:
    """Starts a casino with sample players, and seats the bot in it."""

    def __init__(
        self,
        order: BotJoinOrder,
        player: JoinedPlayer,
        log: BotLog,
        say: Callable[[str], None],
        *,
        hands: int,
        seed: str | None,
        port: int | None = None,
        key: OperatorKey | None = None,
    ) -> None:
        self._order = order
        self._player = player
        self._log = log
        self._say = say
        self._hands = hands
        self._seed = seed
        self._ports = CasinoPorts(lobby=port, lobby_option="--lobby-port")
        self._key = key or OperatorKey(LOBBY_KEY)
        self._up: Up | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def stop(self) -> None:
        """Close the casino after the running hand. May be called in any thread."""
        if self._loop is not None and self._up is not None:
            self._loop.call_soon_threadsafe(self._up.stop)

    async def run(self) -> int:
        """Play until Ctrl-C; returns the exit code. Raises CallFailed."""
        self._loop = asyncio.get_running_loop()
        faults_key = OperatorKey(FAULTS_KEY, secrets.token_urlsafe(32))
        async with served(self._player, self._order.address) as card_url:
            clock_ms = self._order.clock_ms
            rules = {} if clock_ms is None else {"action_timeout_ms": clock_ms}
            plan = CasinoPlan(
                self._hands,
                DEFAULT_STYLES,
                (card_url,),
                self._seed or new_seed(),
                exits=False,
                ports=self._ports,
                rules=rules,
            )
            self._up = Up(plan, Report(as_json=False), self._key, faults_key)
            following = asyncio.create_task(self._follow(self._up))
            try:
                return await self._up.run()
            finally:
                following.cancel()
                with suppress(asyncio.CancelledError, CallFailed):
                    await following

    async def _follow(self, up: Up) -> None:
        """Log the bot's faults, and say its net at the end. `casino up` itself says the faults."""
        await self._player.signed_up.wait()
        invitation = self._player.invitations[-1]
        self._log.joined(ROOM, invitation.player_id, self._player.name)
        link = own_link(up.lobby_url, ROOM, invitation.player_id, invitation.seat_token)
        if link is not None:
            self._say(f"hands    {link}")
        api = LobbyApi(up.lobby_url, key=self._key)
        following = Following(
            api,
            ROOM,
            invitation.player_id,
            invitation.seat_token,
            self._log,
            self._say,
            is_quiet=True,
        )
        try:
            await following.run()
        finally:
            self._say(f"{self._player.name}: {following.result()}")
            await api.close()
