"""Finding better numbers for a bot, in games that are mostly luck.

Whoever takes the best of many noisy trials takes the luckiest. So no trial is ever returned: few
numbers come from a quadratic fitted to all trials (`halving`), many are the mean of a
distribution that has moved with them (`evolution`).
"""
