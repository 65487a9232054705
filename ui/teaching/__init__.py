"""The pages of the lab and the sensitivity explorer."""
