"""The application: its routes, results and reports, and files that pages load."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from cantstop_arena.extensions.serve import bots_routes, play_routes, review_routes, run_routes
from cantstop_arena.extensions.serve.access import Access, foreign_file
from cantstop_arena.extensions.serve.results_index import HISTORY, REPORT, kinds
from cantstop_arena.extensions.serve.site import RequestRefused, Site
from cantstop_arena.extensions.serve.web_pages import added_pages, admission_to

_ROWS = 50  # results on a page
_PEOPLE_ROWS = 10
_MAX_QUERY = 100  # letters


def application(site: Site, hosts: set[str], token: str, port: int) -> ASGIApp:
    """The whole application, for these names of the host, each with its port."""
    pages = added_pages()
    routes = [
        Route("/", site.answer(results)),
        Route("/results/{name}", site.answer(report)),
        Route("/results/{name}/{file}", site.answer(history)),
        Route("/static/{name}", site.answer(static)),
    ]
    for path, methods, route in (
        *run_routes.ROUTES,
        *play_routes.ROUTES,
        *bots_routes.ROUTES,
        *review_routes.ROUTES,
        *(route for added in pages for route in added.routes),
    ):
        routes.append(Route(path, site.answer(route), methods=[*methods]))

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        texts = {404: "There is no such page.", 405: "This page takes no such request."}
        return site.problem_page(texts.get(status, "The server has failed here."), status)

    app = Starlette(routes=routes, exception_handlers={HTTPException: refused, 500: refused})
    return Access(app, hosts, token, port, admission_to(pages, site.index), site)


async def results(site: Site, request: Request) -> Response:
    """All results, the running ones first, and the last games of people."""
    rows = await site.read(site.index.rows)
    running = await site.read(site.running)
    names = {view.name for view in running}
    rows = [row for row in rows if row.name not in names]
    counts = {name: sum(row.kind == name for row in rows) for name in kinds()}
    kind = request.query_params.get("kind", "")
    q = request.query_params.get("q", "")[:_MAX_QUERY].strip()
    chosen = [row for row in rows if (row.kind == kind or kind not in counts) and row.has(q)]
    page = _page_number(request, len(chosen))
    people = await site.read(site.people.store.games, _PEOPLE_ROWS)
    return site.page(
        "results.html",
        "/",
        place=f"in {site.results.name or site.results}",
        going=running,
        rows=chosen[_ROWS * (page - 1) : _ROWS * page],
        count=len(rows),
        matches=len(chosen),
        q=q,
        kinds=[(name, count) for name, count in counts.items() if count],
        kind=kind if kind in counts else "",
        page_number=page,
        pages_count=max(1, -(-len(chosen) // _ROWS)),
        people=people,
        people_count=await site.read(site.people.store.count),
    )


def _page_number(request: Request, rows: int) -> int:
    text = request.query_params.get("page", "1")
    last = max(1, -(-rows // _ROWS))
    return min(last, max(1, int(text))) if text.isdecimal() and len(text) < 6 else 1


async def report(site: Site, request: Request) -> Response:
    """The report of a result, as it is, in an origin of its own."""
    return _file_of_result(site, request, REPORT)


async def history(site: Site, request: Request) -> Response:
    """The page of the versions of a bot in a result, like its report."""
    name = request.path_params["file"]
    if not HISTORY.fullmatch(name):
        raise RequestRefused("There is no such report.", 404)
    return _file_of_result(site, request, name)


def _file_of_result(site: Site, request: Request, name: str) -> Response:
    folder = site.index.folder(request.path_params["name"])
    if folder is None or (folder / name).is_symlink() or not (folder / name).is_file():
        raise RequestRefused("There is no such report.", 404)
    return foreign_file(folder / name)


async def static(site: Site, request: Request) -> Response:
    """The style or the script of the pages."""
    for file in (site.style, site.script):
        if file.name == request.path_params["name"]:
            headers = {"Cache-Control": "max-age=3600"}
            return Response(file.content, media_type=file.kind, headers=headers)
    raise RequestRefused("There is no such file.", 404)
