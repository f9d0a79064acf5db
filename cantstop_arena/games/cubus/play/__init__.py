"""Games as they are played: from state to state, compiled at a table, and again from records."""
