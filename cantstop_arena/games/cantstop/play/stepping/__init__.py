"""Can't Stop step by step: positions for learners and for bots that search."""
