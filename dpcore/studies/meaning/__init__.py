"""What a guarantee means to people: what others chose, and what an attacker learns."""
