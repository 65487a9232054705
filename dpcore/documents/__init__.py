"""What people hand on, hang up or sign: made of public records only."""
