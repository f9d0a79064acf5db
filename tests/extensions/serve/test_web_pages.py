"""The pages in a browser: whole games by mouse, keys, touch and without script; runs; reviews."""

import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.pages_server import ARENA, PagesServer, serving_examples
from helpers.parameters import slow_but

from cantstop_arena.games.registry import DEFAULT, built_in, game_named

EXAMPLES = {"four-in-a-row": "watchful", "kuhn-poker": "honest"}
OTHERS = {name: [*game_named(name).bots][1] for name in built_in() if name != DEFAULT}
BOTS = {"cantstop": "rule28", **OTHERS, **EXAMPLES}
WIDTHS = (1280, 800, 390)
MAX_STEPS = 400
NOTE_WHEN_BUSY = """() => new MutationObserver(() => {
  window.wasBusy ||= Boolean(document.querySelector("#game[aria-busy]"));
}).observe(document.body, { subtree: true, attributes: true, childList: true })"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PagesServer]:
    """A server that has the games of examples/."""
    with serving_examples(tmp_path_factory, EXAMPLES) as server:
        yield server


@pytest.fixture
def visit(site: PagesServer, browser: Any) -> Iterator[Callable[..., Any]]:
    """A function that opens the site; a complaint of the browser or its policy fails the test."""
    troubles: list[str] = []
    contexts: list[Any] = []

    def note(message: Any) -> None:
        if message.type in ("error", "warning"):
            troubles.append(message.text)

    def opened(**given: Any) -> Any:
        context = browser.new_context(**{"reduced_motion": "reduce", **given})
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.goto(site.address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []


def url(site: PagesServer, path: str) -> str:
    return f"http://{site.host}{path}"


def begin(page: Any, site: PagesServer, game: str, mode: str = "practice") -> None:
    page.goto(url(site, f"/play?game={game}&bot={BOTS[game]}"))
    page.check(f'[name=mode][value="{mode}"]')
    page.click("button.do")
    page.wait_for_selector("#game h1")


def number(page: Any) -> str:
    return str(page.locator("#game [data-n]").get_attribute("data-n"))


def after(page: Any, n: str) -> None:
    """Wait until the page has what follows answer number n: the next question or the end."""
    page.wait_for_selector(f'#game:not([aria-busy]) :is(.over, [data-n]:not([data-n="{n}"]))')
    page.wait_for_load_state("domcontentloaded")  # without a script it is a new page


def is_over(page: Any) -> bool:
    return bool(page.locator(".over").count())


def choice(page: Any) -> Any:
    """The button to take: to stop rather than to roll, and the first one else."""
    buttons = page.locator("#game form button[name=answer]")
    stop = page.locator('#game form button[name=answer][data-key="s"]')
    return stop if stop.count() else buttons.first


def play(page: Any, take: Callable[[Any], None]) -> None:
    """Play a game to its end."""
    for _ in range(MAX_STEPS):
        if is_over(page):
            return
        n = number(page)
        take(choice(page))
        after(page, n)
    raise AssertionError(page.inner_text("#game"))


def come_to_pairings(page: Any) -> None:
    """Play until pairings are offered: a roll with one move asks for none."""
    while not page.locator("[data-option]").count():
        n = number(page)
        choice(page).click()
        after(page, n)


def by_key(page: Any) -> Callable[[Any], None]:
    return lambda button: page.keyboard.press(button.get_attribute("data-key"))


@pytest.mark.slow
def test_a_game_by_keys_with_undo_and_a_review(
    site: PagesServer, visit: Callable[..., Any]
) -> None:
    page = visit(viewport={"width": 1280, "height": 900})
    assert "token" not in page.url
    begin(page, site, "cantstop")
    for _ in range(3):
        n = number(page)
        by_key(page)(choice(page))
        after(page, n)
    n, heading = number(page), page.inner_text("#game h1")
    by_key(page)(choice(page))
    after(page, n)
    page.keyboard.press("u")
    page.wait_for_selector(f'#game:not([aria-busy]) [data-n="{n}"]')
    assert page.inner_text("#game h1") == heading
    play(page, by_key(page))
    assert page.evaluate("document.activeElement.textContent") == "Review this game"
    assert page.inner_text("#status") != ""
    page.click("text=Review this game")
    page.wait_for_selector(".reviewing")
    page.goto(f"{page.url}?at=3")  # the page opens at the worst decision, which may be the first
    address = page.url
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("at=2"))
    situation, permalink = page.inner_text(".reviewing h2"), page.url
    assert permalink != address
    page.goto(address)
    page.goto(permalink)
    assert page.inner_text(".reviewing h2") == situation
    assert page.locator(".options tbody tr").count() >= 2
    assert page.locator(".options .taken").count() == 1
    assert page.locator(".curve-of .step").count() > 5


@pytest.mark.slow
def test_a_game_by_mouse_shows_where_a_pairing_leads(
    site: PagesServer, visit: Callable[..., Any]
) -> None:
    page = visit(viewport={"width": 1280, "height": 900})
    begin(page, site, "cantstop", "hints")
    come_to_pairings(page)
    page.hover('[data-option="0"]')
    assert page.locator('[data-ghost="0"]').is_visible()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    assert not page.locator('[data-ghost="0"]').is_visible()
    assert page.locator(".worth.best").count() >= 1
    n, column = number(page), page.locator(".target").first
    column.click()
    assert number(page) == n and page.locator("[data-option]:focus").count() == 1
    column.click()
    after(page, n)
    play(page, lambda button: button.click())
    assert "wins" in page.inner_text("#game h1")


@pytest.mark.slow
def test_what_bots_do_is_shown_step_by_step(site: PagesServer, visit: Callable[..., Any]) -> None:
    page = visit(reduced_motion="no-preference")
    begin(page, site, "cantstop")
    while not page.locator('[data-key="s"]').count():
        n = number(page)
        choice(page).click()
        after(page, n)
    n = number(page)
    page.evaluate(NOTE_WHEN_BUSY)
    page.keyboard.press("s")
    page.wait_for_function("window.wasBusy")
    heading = page.inner_text("#game h1")
    for _ in range(60):
        page.keyboard.press("Shift")  # a key shows the next step at once
        if not page.locator("#game[aria-busy]").count():
            break
        page.wait_for_timeout(20)
    after(page, n)
    assert heading


@pytest.mark.slow
@pytest.mark.parametrize("game", slow_but([0], BOTS))
def test_a_whole_game_without_script(
    site: PagesServer, visit: Callable[..., Any], game: str
) -> None:
    page = visit(java_script_enabled=False, viewport={"width": 390, "height": 844})
    begin(page, site, game)
    for _ in range(MAX_STEPS):
        if is_over(page):
            break
        n = number(page)
        choice(page).click()
        after(page, n)
    assert is_over(page) and "win" in page.inner_text("#game h1")


@pytest.mark.slow
@pytest.mark.parametrize("game", [game for game in BOTS if game != "cantstop"])
def test_other_games_by_keys(site: PagesServer, visit: Callable[..., Any], game: str) -> None:
    page = visit()
    begin(page, site, game, "rated")
    play(page, by_key(page))
    page.click("text=Review this game")
    page.wait_for_selector(".game, .told, main")


@pytest.mark.slow
@pytest.mark.parametrize("game", BOTS)
def test_a_game_by_touch_on_a_phone(
    site: PagesServer, visit: Callable[..., Any], game: str
) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    begin(page, site, game, "rated")
    play(page, lambda button: button.tap())


@pytest.mark.slow
def test_the_decision_fits_a_phone(site: PagesServer, visit: Callable[..., Any]) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True)
    begin(page, site, "cantstop")
    come_to_pairings(page)
    last = page.locator(".choose button").last.bounding_box()
    assert last["y"] + last["height"] <= 844 and last["height"] >= 52
    struck = "each => each.map(one => getComputedStyle(one).textDecorationLine)"
    sums = page.eval_on_selector_all(".choose button b.open", struck)
    assert sums and {*sums} == {"none"}  # replays strike through what is not possible
    dice = page.locator(".side .dice").bounding_box()
    assert dice["y"] + dice["height"] <= page.locator(".choose").bounding_box()["y"]
    choice(page).tap()
    page.wait_for_selector(".decide")
    for box in (each.bounding_box() for each in page.locator(".decide button").all()):
        assert box["height"] >= 88 and box["y"] + box["height"] <= 844


FORMS = ["/play", *(f"/play?game={name}" for name in OTHERS)]
PATHS = ("/", "/live", *FORMS, "/bots", "/bots/rule28", "/league", "/nothing")


@pytest.fixture(scope="module")
def played(site: PagesServer) -> list[str]:
    """Paths of pages with something on them."""
    (site.folder / "cup.yaml").write_text("name: cup\ngames: 60\nbots: [rule28, random, odds]\n")
    subprocess.run([*ARENA, "run", "cup.yaml", "--quiet"], cwd=site.folder, check=True)
    over = site.begin("rule28")
    page = site.get(over)
    while page.n:
        pick = "false" if "false" in page.options else page.options[0]
        page = site.answer(over, page, pick)
    games = [site.begin(bot, game=game) for game, bot in BOTS.items()]
    rolling = site.begin("rule28", mode="hints")
    site.answer(rolling, site.get(rolling), "0")
    return [*PATHS, "/live/cup", over, f"{over}/review", rolling, *games]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(site: PagesServer, browser: Any, played: list[str], scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(bypass_csp=True, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(site.address)
    found = {}
    for path in played:
        page.goto(url(site, path))
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            violations = Axe().run(page).response["violations"]
            if violations:
                found[path, width] = [
                    (each["id"], each["nodes"][0]["html"][:120]) for each in violations
                ]
    context.close()
    assert found == {}


@pytest.mark.slow
def test_no_page_scrolls_sideways(
    site: PagesServer, visit: Callable[..., Any], played: list[str]
) -> None:
    context = visit(viewport={"width": 390, "height": 844})
    wide = {}
    for path in (path for path in played if path != "/nothing"):
        context.goto(url(site, path))
        for width in WIDTHS:
            context.set_viewport_size({"width": width, "height": 900})
            beyond = context.evaluate("document.documentElement.scrollWidth - innerWidth")
            if beyond > 0:
                wide[path, width] = beyond
    assert wide == {}


@pytest.mark.slow
def test_a_run_is_started_watched_and_stopped(site: PagesServer, visit: Callable[..., Any]) -> None:
    page = visit()
    page.goto(url(site, "/live"))
    page.fill("[name=name]", "evening")
    page.fill("[name=games]", "4000000")
    for bot in ("rule28", "random", "odds"):
        page.check(f'[name=bot][value="{bot}"]')
    page.click("button.do")
    page.wait_for_selector("#live .standings")
    first = page.inner_text("#live .facts .big")
    page.wait_for_selector(f'#live .facts .big:not(:text-is("{first}"))')
    page.click("text=Stop this run")
    page.wait_for_selector("#live:not(:has(.badge.on))")
    assert "Stop this run" not in page.inner_text("main")


STREAMS = """
const Plain = EventSource;
window.streams = [];
window.EventSource = class extends Plain {
  constructor(...given) { super(...given); window.streams.push(this); }
};
window.seen = (hidden) => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
};
"""


@pytest.mark.slow
def test_a_page_that_nobody_sees_gives_its_connection_back(
    site: PagesServer, visit: Callable[..., Any]
) -> None:
    """A browser has six connections to a server, and a stream keeps one."""
    fields = {"game": "cantstop", "rules": "classic", "players": "2", "games": "4000000"}
    begun = site.post("/runs", {**fields, "name": "unseen", "bot": ["rule28", "random", "odds"]})
    assert begun.status == 303
    page = visit()
    page.add_init_script(STREAMS)
    page.goto(url(site, "/live/unseen"))
    page.wait_for_selector("#live .standings")
    page.evaluate("seen(true)")
    assert page.evaluate("streams.map((each) => each.readyState)") == [2]  # closed
    page.evaluate("seen(false)")
    page.evaluate("seen(false)")
    assert page.evaluate("streams.length") == 2
    first = page.inner_text("#live .facts .big")
    page.wait_for_selector(f'#live .facts .big:not(:text-is("{first}"))')
    page.click("text=Stop this run")
    page.wait_for_selector("#live:not(:has(.badge.on))")


@pytest.mark.slow
def test_the_theme_stays_from_page_to_page(site: PagesServer, visit: Callable[..., Any]) -> None:
    page = visit(color_scheme="light")
    page.click("button.theme")
    page.goto(url(site, "/play"))
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.inner_text("button.theme") == "Light"


@pytest.mark.slow
def test_a_report_acts_for_nobody(
    site: PagesServer, visit: Callable[..., Any], played: list[str]
) -> None:
    folder = site.folder / "results/hostile"
    folder.mkdir(exist_ok=True)
    (folder / "report.html").write_text(
        "<title>ready</title><script>document.title = self.origin;"
        f"fetch('{url(site, '/runs')}', {{method: 'POST', credentials: 'include'}})"
        ".then((a) => { document.title += a.status; }, () => { document.title += ' refused'; });"
        "</script>"
    )
    context = visit()
    troubles_of = context.context.new_page()
    troubles_of.goto(url(site, "/results/hostile"))
    troubles_of.wait_for_timeout(500)
    assert troubles_of.title() in ("null refused", "null403")


@pytest.mark.slow
def test_a_hostile_game_and_name_stay_text(site: PagesServer, visit: Callable[..., Any]) -> None:
    page = visit()
    name = "<img src=x onerror=alert(1)>"
    page.goto(url(site, "/play"))
    page.fill("[name=name]", name)
    page.click("button.do")
    page.wait_for_selector("#game h1")
    assert page.locator("#game img").count() == 0 and name in page.inner_text(".seats")
    n = number(page)
    choice(page).click()
    after(page, n)
    assert page.locator("#game img").count() == 0
