"""How games are shown, each by a view of its own: in words, as pictures, on pages, to a person.

`Game.view` names a game's view; whoever shows games reaches it by `views.game_view.view_of`.
"""
