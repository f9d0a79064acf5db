"""What was played: written down, read again, added up."""
