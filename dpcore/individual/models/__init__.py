"""What the release of a model reveals about each person."""
