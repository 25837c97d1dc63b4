"""Where a room's table is, how it is addressed, and whether it can be reached. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

AWAY = "table-away"
"""State of a room whose table cannot be reached for now."""
WAITING = "waits-for-table"
"""State of a room whose table is lost while no other one is free."""


class TablePlace(NamedTuple):
    """Where a room's table is, and what its card says."""

    card_url: str
    base_url: str | None
    is_keyed: bool


@dataclass(kw_only=True)
class TableAddress:
    """The part of a room that says where its table is."""

    is_keyed: bool = True
    """Whether its table requires the room key; minimal third-party tables do not."""
    is_launched: bool = False
    """Whether the lobby launched its table."""
    is_from_fleet: bool = False
    """Whether the lobby chose its table among the announced ones, and so may choose another one."""
    launch_port: int | None = None
    """Port that the operator chose for the launched table."""
    table_card_url: str = ""
    """Empty while the room has no table."""
    table_base_url: str | None = None
    state: str | None = None
    """What the table says of itself beyond its status, or `AWAY`, or `WAITING`."""

    def __post_init__(self) -> None:
        """Report the address to nobody."""
        self.report_address(_ignore)

    def report_address(self, changed: Callable[[], None]) -> None:
        """Call `changed` after each change of the address, and at the end of the room."""
        self._address_changed = changed

    def launch_table(self) -> None:
        """Note that the lobby launches the table of this room itself."""
        self.is_launched, self.is_from_fleet = True, False
        self._address_changed()

    def take_from_fleet(self, card_url: str) -> None:
        """Set the address of an announced table; reserves it for this room."""
        self.table_card_url, self.is_from_fleet = card_url, True
        self._address_changed()

    @property
    def place(self) -> TablePlace:
        """Where the table is."""
        return TablePlace(self.table_card_url, self.table_base_url, self.is_keyed)

    def return_to(self, place: TablePlace) -> None:
        """Set the address back to an earlier table: another one did not take the room."""
        self.table_card_url, self.table_base_url, self.is_keyed = place
        self._address_changed()

    def move_table(self, card_url: str) -> None:
        """Change the address of the table."""
        self.table_card_url = card_url
        self._address_changed()

    def release_table(self) -> None:
        """Forget a table that did not take the room."""
        self.table_card_url = ""
        self._address_changed()

    def identify_table(self, base_url: str, *, is_keyed: bool) -> None:
        """Set what the table's card says."""
        self.table_base_url, self.is_keyed = base_url, is_keyed

    def lose_table(self) -> None:
        """Note that the table cannot be reached for now."""
        self.state = AWAY

    def wait_for_table(self) -> None:
        """Note that the table is lost and that no other one is free."""
        self.state = WAITING

    def find_table(self) -> None:
        """Note that a table is reached again."""
        if self.state in {AWAY, WAITING}:
            self.state = None


def _ignore() -> None:
    """Do nothing."""
