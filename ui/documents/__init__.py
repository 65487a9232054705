"""Documents to hand on, made only once they are asked for."""
