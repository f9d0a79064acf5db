"""Where bots come from, and what is known of them without running them here."""
