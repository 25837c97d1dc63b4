"""Games of third parties at a table: checked, rehearsed, and described without a specification."""
