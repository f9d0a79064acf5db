"""The built-in bots: published strategies and simple references, one file each.

They are registered by the hook that packages use, `register_bots`.
"""
