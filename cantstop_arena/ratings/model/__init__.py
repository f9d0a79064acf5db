"""The rating model: choices among seated strengths, fitted to games."""
