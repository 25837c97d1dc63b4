"""What tables deliver: their events, as they are read and judged."""
