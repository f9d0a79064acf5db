"""How Cubus is shown."""
