"""A real server of `arena serve` for tests, asked by http.client as a browser would."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from helpers.game_packages import install_example, on_path
from helpers.time_limit import TIME_LIMIT

ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]


class Answer(NamedTuple):
    """An answer of the server."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def heading(self) -> str:
        """The first heading of the page."""
        return re.sub(r"<[^>]*>", "", re.search(r"<h1.*?</h1>", self.text, re.S)[0])  # type: ignore[index]

    @property
    def n(self) -> str:
        """The number of the answer that a game waits for; empty if it is over."""
        found = re.search(r'name="n" value="(\d+)"', self.text)
        return found[1] if found else ""

    @property
    def options(self) -> list[str]:
        """The answers among which the form lets one choose."""
        return re.findall(r'name="answer" value="([^"]*)"', self.text)


class PagesServer:
    """`arena serve` in a process of its own, in a folder, on a free port."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self.words = words
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it says where it is."""
        command = [*ARENA, "serve", "--port", "0", *self.words]
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout
        self.said = ""
        while "token=" not in self.said:
            line = self.process.stdout.readline()
            assert line, self.said
            self.said += line
        self.address = re.search(r"http://\S+", self.said)[0]  # type: ignore[index]
        self.port = int(re.search(r":(\d+)/", self.address)[1])  # type: ignore[index]
        self.token = self.address.partition("token=")[2]
        self.host = f"127.0.0.1:{self.port}"
        self.cookie = f"arena-{self.port}={self.token}"

    def end(self, number: int = signal.SIGINT) -> str:
        """End the server by a signal; what it has printed since it began."""
        self.process.send_signal(number)
        output, _ = self.process.communicate(timeout=TIME_LIMIT)
        return str(output)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        **headers: str | None,
    ) -> Answer:
        """Ask as a page of the server would; a header of None is left out."""
        given: dict[str, str | None] = {"Cookie": self.cookie, "Host": self.host}
        if method == "POST":
            given["Origin"] = f"http://{self.host}"
            given["Content-Type"] = "application/x-www-form-urlencoded"
        given.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIME_LIMIT)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            data = body.encode() if isinstance(body, str) else body
            if data is not None or method == "POST":
                connection.putheader("Content-Length", str(len(data or b"")))
            connection.endheaders(data)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            return Answer(answer.status, text, {k.lower(): v for k, v in answer.getheaders()})
        finally:
            connection.close()

    def get(self, path: str, **headers: str | None) -> Answer:
        """GET a page."""
        return self.ask("GET", path, **headers)

    def post(
        self, path: str, fields: Mapping[str, Sequence[str]] = {}, **headers: str | None
    ) -> Answer:
        """POST a form."""
        return self.ask("POST", path, urlencode(fields, doseq=True), **headers)

    def begin(self, *bots: str, game: str = "cantstop", **fields: str) -> str:
        """Begin a game; the path of its page."""
        usual = {"name": "Ada", "seat": "0", "mode": "practice", "rules": ""}
        rules = {"cantstop": "classic", "cubus": "leaflet"}.get(game, "standard")
        form = {**usual, "rules": rules, **fields, "game": game, "bot": [*bots]}
        answer = self.post("/play", form)
        assert answer.status == 303, answer.text
        return answer.headers["location"]

    def answer(self, game: str, page: Answer, choice: str) -> Answer:
        """Answer the question on a page of a game, as the script does."""
        fields = {"n": page.n, "answer": choice}
        return self.post(f"{game}/answer", fields, X_Fragment="1")


@contextmanager
def serving_examples(
    factory: pytest.TempPathFactory, names: Iterable[str]
) -> Iterator[PagesServer]:
    """A server that has the games of examples/ with these names; this process has them, too."""
    packages = factory.mktemp("packages")
    for name in names:
        install_example(packages, name.replace("-", "_"))
    with on_path(packages):
        server = PagesServer(factory.mktemp("site"))
        yield server
        server.end()
