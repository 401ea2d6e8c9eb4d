"""The local server: bound to this machine, with a secret in its address; nothing leaves the machine.

It holds no file but those that were dropped on its page (or named when it was started), in a folder that goes with it.
"""

from __future__ import annotations

import itertools
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from fairgroups.app.jobs import Job, arguments_of
from fairgroups.app.tables import ENDINGS, DroppedTable, look_at, safe_name
from fairgroups.errors import FairGroupsError, InputError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["LARGEST", "Desk", "app_of"]

LARGEST = 500_000_000  # bytes of a dropped file
MOST_TABLES, MOST_JOBS = 20, 200
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = "sandbox allow-scripts allow-downloads allow-popups"
TYPES = {".html": "text/html", ".json": "application/json", ".md": "text/markdown", ".csv": "text/csv"}


@dataclass
class Desk:
    """What the page works on: dropped tables, audits, and the secret in the address."""

    folder: Path
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    largest: int = LARGEST
    tables: dict[str, DroppedTable] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    _numbers: Any = field(default_factory=lambda: itertools.count(1), repr=False)

    def put(self, path: Path) -> str:
        """Take a file in; return what it is called here."""
        key = str(next(self._numbers))
        self.tables[key] = DroppedTable(path)
        return key

    def place(self) -> Path:
        """Return a new folder."""
        place = self.folder / f"{next(self._numbers)}-{secrets.token_hex(4)}"
        place.mkdir()
        return place

    async def start(self, _: Request) -> Response:
        """Say what the page begins with."""
        return _json({"endings": ENDINGS, "largest": self.largest, "table": next(iter(self.tables), None)})

    async def drop(self, request: Request) -> Response:
        """Take a dropped file in, piece by piece."""
        if len(self.tables) >= MOST_TABLES:
            raise InputError(f"{MOST_TABLES} tables were dropped already.", "start `fairgroups open` anew.")
        name = safe_name(unquote(request.headers.get("x-name", "")))
        size, path = 0, self.place() / name
        with path.open("wb") as file:
            async for piece in request.stream():
                size += len(piece)
                if size > self.largest:
                    break
                file.write(piece)
        if size > self.largest:
            path.unlink()
            most = f"{self.largest / 1e6:,.0f} MB"
            raise InputError(f"the file is larger than {most}.", "use the command line: fairgroups audit")
        return _json({"table": self.put(path)})

    async def look(self, request: Request) -> Response:
        """Look at a table, read as is asked."""
        from starlette.concurrency import run_in_threadpool

        key, asked = request.path_params["table"], request.query_params
        options: dict[str, Any] = {name: asked[name] for name in ("sheet", "decimal") if asked.get(name)}
        if asked.get("na"):
            options["na"] = asked["na"].split(",")
        table = DroppedTable(_of(self.tables, key).path, options)
        found = await run_in_threadpool(look_at, table)
        self.tables[key] = table
        return _json({**found, "table": key})

    async def ask(self, request: Request) -> Response:
        """Begin an audit."""
        if len(self.jobs) >= MOST_JOBS:
            raise InputError(f"{MOST_JOBS} reports were made already.", "start `fairgroups open` anew.")
        try:
            asked = json.loads(await request.body())
        except ValueError:
            asked = None
        if not isinstance(asked, dict) or "table" not in asked:
            raise InputError("the page asked for nothing that can be read.", "load it anew.")
        table = _of(self.tables, str(asked.pop("table")))
        job, key = Job(table, arguments_of(asked, table), self.place()), secrets.token_urlsafe(9)
        self.jobs[key] = job
        await job.start()
        return _json({"job": key})

    async def told(self, request: Request) -> Response:
        """Say how far an audit is."""
        return _json(_of(self.jobs, request.path_params["job"]).told())

    async def stop(self, request: Request) -> Response:
        """End an audit."""
        job = _of(self.jobs, request.path_params["job"])
        await job.stop()
        return _json(job.told())

    async def output(self, request: Request) -> Response:
        """Return a file that an audit wrote."""
        from starlette.responses import Response

        job, name = _of(self.jobs, request.path_params["job"]), request.path_params["name"]
        if name not in job.told()["outputs"].values():
            return Response("not there", status_code=404)
        kind = Path(name).suffix
        answer = Response((job.folder / name).read_bytes(), media_type=f"{TYPES[kind]}; charset=utf-8")
        if "save" in request.query_params:
            answer.headers["content-disposition"] = f'attachment; filename="{name}"'
        return _guarded(answer, REPORT_POLICY if kind == ".html" else "default-src 'none'; sandbox")

    @asynccontextmanager
    async def life(self, _: Any) -> AsyncIterator[None]:
        """End every audit with the server."""
        yield
        for job in self.jobs.values():
            await job.stop()


def app_of(desk: Desk) -> Starlette:
    """Return the application that serves the page.

    Parameters
    ----------
    desk : Desk
        What it works on.

    Returns
    -------
    Starlette
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.routing import Route

    root = f"/{desk.secret}"
    routes = [
        Route(f"{root}/", _asset("page.html", "text/html")),
        Route(f"{root}/page.js", _asset("page.js", "text/javascript")),
        Route(f"{root}/page.css", _asset("page.css", "text/css")),
        Route(f"{root}/start", desk.start),
        Route(f"{root}/tables", desk.drop, methods=["POST"]),
        Route(f"{root}/tables/{{table}}", desk.look),
        Route(f"{root}/jobs", desk.ask, methods=["POST"]),
        Route(f"{root}/jobs/{{job}}", desk.told),
        Route(f"{root}/jobs/{{job}}/stop", desk.stop, methods=["POST"]),
        Route(f"{root}/jobs/{{job}}/{{name}}", desk.output),
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])  # no other name leads here
    refused: dict[Any, Any] = {FairGroupsError: _refused}
    return Starlette(routes=routes, middleware=[hosts], exception_handlers=refused, lifespan=desk.life)


def _asset(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def show(_: Request) -> Response:
        from starlette.responses import Response

        text = files("fairgroups.app").joinpath("assets", name).read_text(encoding="utf-8")
        return _guarded(Response(text, media_type=kind), POLICY)

    return show


def _json(held: Any, status: int = 200) -> Response:
    from starlette.responses import JSONResponse

    return _guarded(JSONResponse(held, status_code=status), "default-src 'none'")


async def _refused(_: Request, error: Exception) -> Response:
    fact, hint = (error.fact, error.hint) if isinstance(error, InputError) else (str(error), None)
    return _json({"error": fact, "hint": hint}, 400)


def _of(held: dict[str, Any], key: str) -> Any:
    if key not in held:
        raise InputError("that is not here any more.", "drop the table again.")
    return held[key]


def _guarded(answer: Response, policy: str) -> Response:
    """Add headers that let nothing else run, be framed, kept or guessed."""
    answer.headers["content-security-policy"] = policy
    answer.headers["x-content-type-options"] = "nosniff"
    answer.headers["referrer-policy"] = "no-referrer"
    answer.headers["cache-control"] = "no-store"
    return answer
