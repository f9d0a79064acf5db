"""How Can't Stop is shown."""
