"""A Chromium without network, and pages opened in it."""

import shutil
from contextlib import contextmanager

import pytest


@pytest.fixture(scope="session")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("Chromium is not installed")
    sync_playwright = pytest.importorskip("playwright.sync_api").sync_playwright
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield found
        found.close()


class Opened:
    """A page, with what it asked for and complained of."""

    def __init__(self, page):
        self.page, self.requests, self.complaints = page, [], []
        page.on(
            "console",
            lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture
def open_page(browser, tmp_path):
    @contextmanager
    def opened(audit, *, width=1100, height=900, scheme="light", ready=True, **options):
        path = tmp_path / "audit.html"
        audit.to_html(path, **options)
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True)
        found = Opened(context.new_page())
        found.page.goto(path.as_uri())
        if ready:
            found.page.wait_for_selector("#explore[data-ready=yes]")
        try:
            yield found
        finally:
            context.close()

    return opened
