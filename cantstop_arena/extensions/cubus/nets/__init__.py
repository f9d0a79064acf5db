"""The nets of champion: what they know of a position, what they say of it, and how they learn."""
