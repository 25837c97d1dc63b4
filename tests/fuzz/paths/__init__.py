"""Each fast path against the complete one: generated requests and replies, and what each says."""
