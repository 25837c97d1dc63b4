"""Agent cards of others: fetch them, and read what they offer."""
