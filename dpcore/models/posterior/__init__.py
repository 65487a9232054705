"""What samples of the posterior of a linear model reveal: exact, and as published."""
