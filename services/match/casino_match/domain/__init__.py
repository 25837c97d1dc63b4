"""What a match is: plan, seatings, decks, blocks. Pure."""
