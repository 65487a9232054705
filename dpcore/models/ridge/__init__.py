"""Linear regression with a ridge penalty, and what everybody is to a fit."""
