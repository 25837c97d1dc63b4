"""Authorization and rate limits: operator key, rules of each skill, request budgets."""
