"""What a room is and does: state, rules and limits; pure, no I/O."""
