"""What tables deliver, as bytes."""
