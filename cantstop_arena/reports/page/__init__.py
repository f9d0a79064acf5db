"""The report as a page to look at: one HTML file that needs nothing but itself."""
