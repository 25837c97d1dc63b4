"""One step each; what was released is never changed again."""
