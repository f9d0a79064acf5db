"""Reports as self-contained HTML pages: their sections, headlines and facts."""
