"""What an audit found."""
