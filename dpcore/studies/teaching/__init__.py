"""What the lab and the sensitivity explorer show."""
