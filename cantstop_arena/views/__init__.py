"""The views of games: text, pictures, parts of HTML pages, and the dialogue with a person.

`Game.view` names a game's view; `views.default_view.view_of` returns it.
"""
