"""The local page in a real browser: from a spreadsheet to the report, by mouse and by keyboard."""

import subprocess
import sys
import time

import pytest

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("uvicorn")


@pytest.fixture(scope="module")
def address():
    command = [sys.executable, "-u", "-m", "fairgroups.cli", "open", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().split()[-1]
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def workbook(tmp_path_factory):
    path = tmp_path_factory.mktemp("office") / "loans.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["Age", "Income", "Approved", "Branch"])
    for i in range(2000):
        age = 18 + (i * 37) % 60
        book.active.append(
            [age, f"${20_000 + 37 * i:,}", "Yes" if (i * 13) % 10 < (3 if age < 30 else 6) else "No", f"B{i % 4}"]
        )
    book.save(path)
    return path


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.complaints = []
    page.on("console", lambda m: page.complaints.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    context.close()


def test_from_a_spreadsheet_to_the_report(page, address, workbook):
    begun = time.monotonic()
    page.goto(address)
    page.set_input_files("#file", workbook)
    page.wait_for_selector("#question:not([hidden])")
    assert "2,000 rows, 4 columns" in page.locator("#about").text_content()
    assert "'$" in page.locator("#told").text_content()
    page.select_option("#sensitive", "Age")
    page.select_option("#outcome", "Approved")
    page.check("input[value=good]")
    page.click("#make")
    page.wait_for_selector("#done:not([hidden])", timeout=60_000)
    assert "disadvantaged" in page.frame_locator("#page").locator(".lead").text_content()
    assert "fairgroups audit loans.xlsx --sensitive=Age" in page.locator("#command").text_content()
    with page.expect_download() as saved:
        page.get_by_text("Save the report").click()
    assert "disadvantaged" in saved.value.path().read_text(encoding="utf-8")
    assert time.monotonic() - begun < 120
    assert page.complaints == []


def test_what_goes_wrong_is_said_and_mended(page, address, tmp_path):
    (tmp_path / "a.csv").write_text(
        "age,ok\n" + "\n".join(f"{'unknown' if i == 7 else i % 50},{i % 2}" for i in range(300))
    )
    page.goto(address)
    page.set_input_files("#file", tmp_path / "a.csv")
    page.wait_for_selector("#question:not([hidden])")
    page.select_option("#sensitive", "age")
    page.select_option("#outcome", "ok")
    page.click("#make")
    page.wait_for_selector("#wrong:not([hidden])", timeout=60_000)
    assert "'unknown' in row 9" in page.locator("#wrong").text_content()
    page.locator("#how summary").click()
    page.fill("#na", "unknown")
    page.click("#again")
    page.locator("#told", has_text="taken as missing").wait_for()
    page.select_option("#sensitive", "age")
    page.select_option("#outcome", "ok")
    page.click("#make")
    page.wait_for_selector("#done:not([hidden])", timeout=60_000)


def test_the_keyboard_is_enough(page, address, workbook):
    page.goto(address)
    page.set_input_files("#file", workbook)
    page.wait_for_selector("#question:not([hidden])")
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.name || document.activeElement.tagName")
        )
    assert {"file", "sensitive", "outcome", "favourable", "make"} <= set(reached)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_a_reader(browser, address, workbook, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    page.set_input_files("#file", workbook)
    page.wait_for_selector("#question:not([hidden])")
    for summary in page.locator("details > summary").all():
        summary.click()
    found = axe.run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    context.close()


def test_a_table_that_is_dropped_is_not_replaced_by_one_that_was_there(page, address, workbook, tmp_path):
    (tmp_path / "b.csv").write_text("height,ok\n" + "\n".join(f"{150 + i % 50},{i % 2}" for i in range(300)))
    page.goto(address)
    page.set_input_files("#file", workbook)  # the next page begins with it
    page.wait_for_selector("#question:not([hidden])")
    slow = []
    page.route("**/tables/*", lambda route: (slow.append(route.request.url), time.sleep(1.0), route.continue_()))
    page.goto(address)
    page.set_input_files("#file", tmp_path / "b.csv")
    page.locator("#about", has_text="b.csv").wait_for()
    page.wait_for_timeout(2500)
    assert page.locator("#about").text_content().startswith("b.csv")
    assert page.locator("#sensitive option", has_text="height").count() == 1
