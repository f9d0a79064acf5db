"""`arena serve`: pages in the browser to look at results, watch runs, play and review games."""
