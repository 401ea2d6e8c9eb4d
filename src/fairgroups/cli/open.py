"""fairgroups open: the local page for people without a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["open_page"]


def open_page(
    data: Annotated[
        Path | None, typer.Argument(help="A table to begin with: a spreadsheet, a CSV file …", show_default=False)
    ] = None,
    port: Annotated[int, typer.Option(help="Port to serve on; 0 picks a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in your browser.")] = True,
) -> None:
    """Open a page on this machine: drop a table, answer three questions, get the report. Nothing leaves the machine."""
    import socket
    import webbrowser

    from fairgroups.app.server import Desk, app_of
    from fairgroups.app.tables import safe_name
    from fairgroups.errors import InputError
    from fairgroups.output import own_folder

    if data is not None:
        if not data.is_file():
            raise InputError(f"there is no file {str(data)!r}.", "check the path.")
        safe_name(data.name)
    try:
        import uvicorn
    except ImportError:
        raise InputError("the page needs Starlette and uvicorn.", "pip install 'fairgroups[app]'") from None
    with own_folder("open") as folder, socket.socket() as listening:
        desk = Desk(folder)
        if data is not None:
            desk.put(data.resolve())
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as error:
            raise InputError(f"port {port} cannot be used: {error.strerror}.", "leave --port out.") from None
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/{desk.secret}/"
        typer.echo(f"The page is open at {address}")
        typer.echo("Nothing leaves this machine. Ctrl-C ends it, and deletes what was dropped.")
        if browser:
            webbrowser.open(address)
        config = uvicorn.Config(app_of(desk), log_level="warning", access_log=False, timeout_graceful_shutdown=3)
        uvicorn.Server(config).run(sockets=[listening])
