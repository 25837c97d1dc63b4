"""Publishers of tables, with a lobby in this process."""

import random

from casino_contracts import CasinoCallback, StatusPayload
from casino_table.delivery.event_publisher import EventDelivery, Publisher
from casino_table.journal.journal import EventDraft, Journal
from casino_table.journal.journal_log import JournalRecord, Log, MemoryLog
from casino_table.table_metrics import TableMetrics
from prometheus_client import CollectorRegistry
from support.table.table_side import InProcessNetwork, LobbyStub
from support.table.virtual_clock import VirtualClock


class Publishing:
    """The running publisher of a table `t1`, and its lobby; other tables may join."""

    def __init__(self, lobby: LobbyStub | None = None, log: Log | None = None) -> None:
        self.network, self.lobby, self.clock = (
            InProcessNetwork(),
            lobby or LobbyStub(),
            VirtualClock(),
        )
        self.url = self.network.add("lobby", self.lobby.agent())
        self.refused: list[str] = []
        self.registry = CollectorRegistry()
        self._metrics = TableMetrics(self.registry)
        self.delivery = EventDelivery(self.network.client(), self.clock, random.Random(1))
        self.journal, self.publisher = self.join("t1", log=log)

    def join(
        self, table_id: str, url: str = "", *, secret: str | None = None, log: Log | None = None
    ) -> tuple[Journal, Publisher]:
        """Let one more table publish, by default to the same lobby."""
        journal = Journal(table_id, 1, self.clock.timestamp, log or MemoryLog())
        callback = CasinoCallback(
            agent_card_url=url or self.url, event_skill="recordGameEvent", secret=secret
        )
        publisher = Publisher(journal, callback, self.delivery, self.refused.append, self._metrics)
        publisher.start()
        return journal, publisher

    def happen(self, times: int = 1, message: str = "m", *, journal: Journal | None = None) -> None:
        """Commit events of a table, by default of `t1`."""
        payload = StatusPayload(status="running", kind="started")
        drafts = [EventDraft("table_status", message, payload)] * times
        (journal or self.journal).commit(JournalRecord("note"), drafts)

    @property
    def received(self) -> list[int | None]:
        """The sequences of `t1` that the lobby has, in order."""
        return [event.sequence for event in self.lobby.events if event.table_id == "t1"]

    def redelivered(self) -> float | None:
        """Return how many events were sent more than once."""
        return self.registry.get_sample_value("casino_event_redeliveries_total")
