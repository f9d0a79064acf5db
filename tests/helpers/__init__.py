"""What tests share: one way to run commands, naive readings of the rules, hostile bots, data."""
