"""What numbers of decks say: intervals, comparisons, sequential tests. Pure."""
