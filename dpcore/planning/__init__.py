"""Plans: questions, what budgets make of them, and what they cost together."""
