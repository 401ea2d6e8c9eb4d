"""The page's server, running on a thread, and a client without a library of its own."""

import http.client
import json
import socket
import threading
import time

import pytest


class Answer:
    def __init__(self, answer):
        self.status_code, self.content = answer.status, answer.read()
        self.headers = {name.lower(): value for name, value in answer.getheaders()}

    @property
    def text(self):
        return self.content.decode()

    def json(self):
        return json.loads(self.content)


class Client:
    def __init__(self, port, secret):
        self.port, self.root = port, f"/{secret}"

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, headers=None):
        return self.ask("GET", path, headers=headers)

    def post(self, path, content=None, json_=None, headers=None):
        body = json.dumps(json_) if json_ is not None else content
        return self.ask("POST", path, body.encode() if isinstance(body, str) else body, headers)


@pytest.fixture
def desk(tmp_path):
    pytest.importorskip("starlette")
    from fairgroups.app.server import Desk

    return Desk(tmp_path)


@pytest.fixture
def client(desk):
    uvicorn = pytest.importorskip("uvicorn")
    from fairgroups.app.server import app_of

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app_of(desk), log_level="error", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield Client(listening.getsockname()[1], desk.secret)
        server.should_exit = True
        thread.join(10)
