"""Play: sessions, hands, recovery after a restart."""
