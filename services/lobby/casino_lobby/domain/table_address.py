"""Where a room's table is reached, and how it is addressed. Pure."""

from dataclasses import dataclass


@dataclass(kw_only=True)
class TableAddress:
    """The part of a room that says where its table is."""

    is_keyed: bool = True
    """Whether its table requires the room key; minimal third-party tables do not."""
    is_launched: bool = False
    """Whether the lobby launched its table."""
    launch_port: int | None = None
    """Port that the operator chose for the launched table."""
    table_card_url: str = ""
    """Empty while the room has no table."""
    table_base_url: str | None = None

    def launch_table(self) -> None:
        """Note that the lobby launches the table of this room itself."""
        self.is_launched = True

    def move_table(self, card_url: str) -> None:
        """Set or change the address of the table; reserves a free table for this room."""
        self.table_card_url = card_url

    def release_table(self) -> None:
        """Forget a table that did not take the room."""
        self.table_card_url = ""

    def identify_table(self, base_url: str, *, is_keyed: bool) -> None:
        """Set what the table's card says."""
        self.table_base_url, self.is_keyed = base_url, is_keyed
