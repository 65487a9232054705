"""Budget: history, what ε means, documents, and how an account is managed."""
