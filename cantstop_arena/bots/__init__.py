"""Where bots come from, what is known about them without running them, and how one is started."""
