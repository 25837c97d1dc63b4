"""Publish the journal of a table: its events are delivered to the lobby of its callback."""

import random
from collections.abc import Callable
from datetime import timedelta

from casino_agentkit import AgentClient
from casino_contracts import CasinoCallback
from casino_play.turn import Clock

from casino_table.delivery.event_outbox import EventOutbox
from casino_table.delivery.lobby_delivery import LobbyDelivery
from casino_table.journal.journal import Journal
from casino_table.table_metrics import TableMetrics


class EventDelivery:
    """The deliveries of a process, one for each lobby: none delays another."""

    def __init__(self, client: AgentClient, clock: Clock, rng: random.Random) -> None:
        self._client = client
        self._clock = clock
        self._rng = rng
        self._lobbies: dict[str, LobbyDelivery] = {}

    def join(self, card_url: str, outbox: EventOutbox) -> LobbyDelivery:
        """Deliver the events of a table to the lobby with a card URL."""
        lobby = self._lobbies.get(card_url)
        if lobby is None:
            lobby = LobbyDelivery(card_url, self._client, self._clock, self._rng)
            self._lobbies[card_url] = lobby
        lobby.join(outbox)
        return lobby

    def leave(self, card_url: str, outbox: EventOutbox) -> None:
        """Deliver nothing of a table to a lobby any more."""
        lobby = self._lobbies.get(card_url)
        if lobby is not None and lobby.leave(outbox):
            del self._lobbies[card_url]


class Publisher:
    """Publishes one journal, from `start` to `stop`.

    `on_refused` is called with the reason code of a permanent refusal (replaced, unknown, closed).
    """

    def __init__(
        self,
        journal: Journal,
        callback: CasinoCallback,
        delivery: EventDelivery,
        on_refused: Callable[[str], None],
        metrics: TableMetrics,
    ) -> None:
        self._outbox = EventOutbox(journal, callback, on_refused, metrics)
        self._journal = journal
        self._delivery = delivery
        self._lobby: LobbyDelivery | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the lobby permanently refuses the events of this table."""
        return self._outbox.is_refused

    def start(self) -> None:
        """Deliver all undelivered events, and new ones, until `stop`."""
        card_url = self._outbox.callback.agent_card_url
        lobby = self._lobby = self._delivery.join(card_url, self._outbox)
        self._journal.on_events = lambda: lobby.wake(self._outbox)

    def stop(self) -> None:
        """Deliver nothing any more; undelivered events stay in the journal."""
        self._delivery.leave(self._outbox.callback.agent_card_url, self._outbox)
        self._lobby = None

    def rebind(self, callback: CasinoCallback) -> None:
        """Deliver to another callback from now on."""
        moves = callback.agent_card_url != self._outbox.callback.agent_card_url
        if moves and self._lobby is not None:
            self.stop()
            self._outbox.callback = callback
            self.start()
        else:
            self._outbox.callback = callback

    def redeliver_newest(self) -> None:
        """Deliver the newest event again."""
        self._outbox.rewind()
        if self._lobby is not None:
            self._lobby.wake(self._outbox)

    async def flush(self, timeout: timedelta | None) -> bool:
        """Wait until all current events are delivered; False on timeout or refusal."""
        return await self._outbox.flush(timeout)
