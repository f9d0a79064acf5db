"""The searches that Python calls, with all arrays as arguments of their own. Compiled by numba.

So their machine code can be called without numba: see `entry_points.searches`.
"""

import numpy as np

from cantstop_arena.extensions.cubus.engine.compiled import njit_entry
from cantstop_arena.extensions.cubus.engine.library import Library
from cantstop_arena.extensions.cubus.engine.near import apply_candidate as write_cells_after
from cantstop_arena.extensions.cubus.engine.near import list_candidates as write_candidates
from cantstop_arena.extensions.cubus.engine.query import aim as fill_query
from cantstop_arena.extensions.cubus.engine.query_arrays import Query
from cantstop_arena.extensions.cubus.engine.search import first_group as first_group_of
from cantstop_arena.extensions.cubus.engine.search import fits, has_hit
from cantstop_arena.extensions.cubus.engine.search import keys_of as write_keys
from cantstop_arena.extensions.cubus.engine.search import level_of as write_level
from cantstop_arena.extensions.cubus.engine.search import next_level as write_next_level
from cantstop_arena.extensions.cubus.engine.search import open_room as write_open_room
from cantstop_arena.extensions.cubus.engine.text_order import TextOrder


@njit_entry(nrt=False)
def aim(
    limits,
    shifts,
    columns,
    barred,
    best_values,
    cells,
    cards,
    free_swap,
    min_value,
    min_crates,
    max_crates,
):
    """Fill a query."""
    bounds = free_swap != 0, min_value, min_crates, max_crates
    fill_query(
        Query(limits, shifts, columns, barred),
        best_values,
        cells,
        np.int64(len(cells)),
        cards,
        *bounds,
    )


@njit_entry(nrt=False)
def first_group(masks, heights, ranks, by_rank, groups, levels, limits, shifts, columns, barred):
    """The first group of a search."""
    return np.int64(
        first_group_of(
            Library(masks, heights, ranks, by_rank, groups, levels),
            Query(limits, shifts, columns, barred),
        )
    )


@njit_entry(nrt=False)
def is_buildable(
    masks, heights, ranks, by_rank, groups, levels, limits, shifts, columns, barred, number
):
    """Whether a pile of a group can be built, as 1 or 0."""
    library, aimed = (
        Library(masks, heights, ranks, by_rank, groups, levels),
        Query(limits, shifts, columns, barred),
    )
    is_hit = fits(library, aimed, number) and has_hit(library, aimed, number)
    return np.int64(is_hit)


@njit_entry(nrt=False)
def next_level(
    masks,
    heights,
    ranks,
    by_rank,
    groups,
    levels,
    limits,
    shifts,
    columns,
    barred,
    x_ranks,
    y_ranks,
    xs,
    ys,
    number,
    keys,
    following,
):
    """Call the function of `search` that has this name."""
    library, aimed = (
        Library(masks, heights, ranks, by_rank, groups, levels),
        Query(limits, shifts, columns, barred),
    )
    order = TextOrder(x_ranks, y_ranks, xs, ys)
    return np.int64(write_next_level(library, order, aimed, number, keys, following))


@njit_entry(nrt=False)
def level_of(
    masks,
    heights,
    ranks,
    by_rank,
    groups,
    levels,
    limits,
    shifts,
    columns,
    barred,
    x_ranks,
    y_ranks,
    xs,
    ys,
    value,
    keys,
):
    """Call the function of `search` that has this name."""
    library, aimed = (
        Library(masks, heights, ranks, by_rank, groups, levels),
        Query(limits, shifts, columns, barred),
    )
    order = TextOrder(x_ranks, y_ranks, xs, ys)
    return np.int64(write_level(library, order, aimed, value, keys))


@njit_entry(nrt=False)
def keys_of(
    masks,
    heights,
    ranks,
    by_rank,
    groups,
    levels,
    limits,
    shifts,
    columns,
    barred,
    x_ranks,
    y_ranks,
    xs,
    ys,
    numbers,
    keys,
):
    """Call the function of `search` that has this name."""
    library, aimed = (
        Library(masks, heights, ranks, by_rank, groups, levels),
        Query(limits, shifts, columns, barred),
    )
    order = TextOrder(x_ranks, y_ranks, xs, ys)
    return np.int64(write_keys(library, order, aimed, numbers, keys))


@njit_entry(nrt=False)
def open_room(
    masks,
    heights,
    ranks,
    by_rank,
    groups,
    levels,
    limits,
    shifts,
    columns,
    barred,
    x_ranks,
    y_ranks,
    xs,
    ys,
    keys,
    rows,
):
    """Call the function of `search` that has this name."""
    library, aimed = (
        Library(masks, heights, ranks, by_rank, groups, levels),
        Query(limits, shifts, columns, barred),
    )
    order = TextOrder(x_ranks, y_ranks, xs, ys)
    write_open_room(library, order, aimed, keys, rows)


@njit_entry(nrt=False)
def list_candidates(limits, shifts, columns, barred, cells, free_swap, base, rows, grid, lifted):
    """Call the function of `near` that has this name."""
    pile, room = (cells, np.int64(len(cells))), (rows, grid, lifted)
    aimed = Query(limits, shifts, columns, barred)
    return np.int64(write_candidates(aimed, *pile, free_swap != 0, base, *room))


@njit_entry(nrt=False)
def apply_candidate(cells, candidate, after):
    """Call the function of `near` that has this name."""
    return np.int64(write_cells_after(cells, np.int64(len(cells)), candidate, after))
