"""Who may call: the operator's key, the rules of each skill, request budgets."""
