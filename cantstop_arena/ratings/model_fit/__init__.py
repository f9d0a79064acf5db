"""Whether one rating for each bot fits the results, and where it does not."""
