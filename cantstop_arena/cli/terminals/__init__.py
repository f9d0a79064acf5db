"""What is shown on a terminal while something goes on."""
