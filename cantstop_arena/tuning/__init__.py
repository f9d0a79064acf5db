"""Tunes the options of bots, in games that are mostly luck.

The best of many noisy trials is mostly the luckiest. So no trial is ever returned: up to three
options are the peak of a curve fitted to all trials (`halving`), more are the mean of CMA-ES's
search distribution (`cma_search`).
"""
