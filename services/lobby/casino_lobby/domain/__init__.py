"""Pure domain logic of the lobby: rooms, display names, table fleet, limits; no I/O."""
