"""Pictures of plans: what budgets buy, and what a plan costs."""
