"""JSON of results: the same content whatever the layout, and a record on a line."""

import json

from cantstop_arena.tables.formats import as_json


def test_records_and_rows_of_numbers_are_lines() -> None:
    content = {
        "name": "a\nbé",
        "none": {},
        "empty": [],
        "pairs": [{"bot": "x", "score": 0.5}, {"bot": "y", "seats": [1, 2]}],
        "deep": {"one": {"two": [{"three": None}]}, "four": [[1, 2], [3]]},
    }
    text = as_json(content)
    assert json.loads(text) == content
    assert text.splitlines() == [
        *("{", '  "name": "a\\nbé",', '  "none": {},', '  "empty": [],', '  "pairs": ['),
        *('    {"bot": "x", "score": 0.5},', '    {"bot": "y", "seats": [1, 2]}', "  ],"),
        *('  "deep": {', '    "one": {', '      "two": [', '        {"three": null}'),
        *("      ]", "    },", '    "four": [[1, 2], [3]]', "  }", "}"),
    ]
