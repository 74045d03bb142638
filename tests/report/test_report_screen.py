"""The report in a real browser: nothing wider than the window, no label upon another, whatever the width."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from fairlead.report.html import report_html
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.waves import Move
from hand_made import infeasible, many, solved
from small_plans import compared, example, fleet, large, planned, service, simulated

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

MEASURE = """
<script>
addEventListener("load", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const overlaps = [], outside = [];
  for (const picture of document.querySelectorAll("svg")) {
    const frame = picture.getBoundingClientRect();
    if (!frame.width) continue;
    const texts = [...picture.querySelectorAll("text")];
    const boxes = texts.map(text => text.getBoundingClientRect());
    boxes.forEach((one, index) => {
      if (one.left < frame.left - 1 || one.right > frame.right + 1) outside.push(texts[index].textContent);
      for (let other = index + 1; other < boxes.length; other++) {
        const two = boxes[other];
        const apart = one.right <= two.left || two.right <= one.left
          || one.bottom <= two.top + 2 || two.bottom <= one.top + 2;
        if (!apart) overlaps.push(texts[index].textContent + " / " + texts[other].textContent);
      }
    });
  }
  const cut = [...document.querySelectorAll("h1,h2,h3,p,li,summary,dt,dd,figcaption,caption,th,td")]
    .filter(part => part.clientWidth && part.scrollWidth > part.clientWidth + 1 && !part.closest("thead"))
    .map(part => part.tagName + " " + part.scrollWidth + ">" + part.clientWidth + " " + part.textContent);
  const seen = document.createElement("pre");
  seen.id = "seen";
  seen.textContent = JSON.stringify({
    width: document.documentElement.scrollWidth, window: innerWidth, overlaps, outside, cut,
    pictures: [...document.querySelectorAll("svg")].filter(each => each.getBoundingClientRect().width).length,
  });
  parent.document.body.append(seen);
});
</script>
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium to look with"),
]


def dumped(file: Path, folder: Path, width: int = 1280) -> str:
    """Return the document as it is when its scripts have run."""
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width + 100},1000",
        "--virtual-time-budget=3000",
        "--dump-dom",
        file.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def seen(text: str, width: int, folder: Path, script: str = MEASURE) -> dict[str, Any]:
    """Return what a script in a browser sees of a page in a window of a width; by default its measures."""
    file = folder / "report.html"
    # The page forbids all scripts but its own, which is right; the copy that is measured may run one more.
    open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    assert open_page != text
    # A browser's own window is never narrower than 500 pixels; a frame in it may be.
    inside = escape(open_page.replace("</body>", f"{script}</body>"))
    frame = f'<iframe style="border: 0; width: {width}px; height: 900px" srcdoc="{inside}"></iframe>'
    file.write_text(f"<!doctype html><meta charset=utf-8>{frame}", encoding="utf-8")
    found = re.search(r'<pre id="seen">(.*?)</pre>', dumped(file, folder, width), re.DOTALL)
    assert found
    measures: dict[str, Any] = json.loads(unescape(found[1]))
    return measures


def with_long_names() -> RebalancePlan:
    """Return a plan with names as long as Kubernetes allows."""
    name = "checkout-" * 6 + "service"
    old, new = "production-europe-west-4-general-purpose-a", "production-europe-west-4-general-purpose-b"
    web = service(name, {"east": 6})
    asked = fleet(web)
    clusters = (replace(asked.clusters[0], name=old), replace(asked.clusters[1], name=new))
    web = replace(web, current={old: 6}, rules=())
    asked = replace(asked, clusters=clusters, workloads=(web,))
    target = {web.key: {old: 3, new: 3}}
    return planned(asked, target, (Move(web.key, old, new, 2),), (Move(web.key, old, new, 1),))


PAGES = {
    "example": lambda: report_html(example()),
    "long names": lambda: report_html(with_long_names()),
    "large": lambda: report_html(large(60)),
    "infeasible": lambda: report_html(infeasible()),
    "placement": lambda: report_html(solved()),
    "many": lambda: report_html(many()),
    "swept": lambda: report_html(simulated()),
    "compared": lambda: report_html(compared()),
}


@pytest.mark.parametrize("width", [360, 700, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_everything_can_be_read(name: str, width: int, tmp_path: Path) -> None:
    """The page is not wider than its window, no text is cut, no label lies upon another or outside."""
    found = seen(PAGES[name](), width, tmp_path)
    assert found["window"] == width
    assert found["width"] <= width
    assert found["overlaps"] == []
    assert found["outside"] == []
    assert found["cut"] == []
    # Of the two forms of a picture one is shown: of flows, of waves. Every cluster has a panel.
    panels = {
        "example": 3,
        "long names": 2,
        "large": 12,
        "placement": 3,
        "many": 2,
        "swept": 3,
        "compared": 3,
    }
    assert found["pictures"] == panels.get(name, 0) + 2 * (name in ("example", "long names", "large"))


def test_the_measure_sees_what_is_wrong(tmp_path: Path) -> None:
    """The check is no empty promise: a page with a wide table and two labels on one place is caught."""
    text = report_html(example()).replace("overflow-x: auto", "").replace("@media screen", "@media speech")
    text = text.replace("<td", '<td style="min-width: 30rem"').replace("x=", "data-x=")
    found = seen(text, 360, tmp_path)
    assert found["width"] > 360
    assert found["overlaps"]


SEARCH = """
<script>
addEventListener("load", () => {
  const rows = () => [...document.querySelectorAll("#changes details tbody tr")].filter(row => !row.hidden);
  const names = () => rows().map(row => row.cells[0].textContent + " " + row.cells[4].textContent);
  const found = {before: names()};
  const head = document.querySelectorAll("#changes details thead th")[4];
  head.querySelector("button").click();
  found.sorted = names();
  const field = document.querySelector("input[type=search]");
  field.value = "web WEST";
  field.dispatchEvent(new Event("input"));
  setTimeout(() => {
    found.searched = names();
    found.folds = [...document.querySelectorAll("main details")].filter(fold => !fold.hidden).length;
    const seen = document.createElement("pre");
    seen.id = "seen";
    seen.textContent = JSON.stringify(found);
    parent.document.body.append(seen);
  }, 500);
});
</script>
"""


def test_rows_are_searched_and_sorted(tmp_path: Path) -> None:
    """Of four changes two are of web, one of them on west; numbers are sorted as numbers."""
    found = seen(report_html(example()), 1280, tmp_path, SEARCH)
    assert found["before"] == ["shop/api +2", "shop/old -1", "shop/web -3", "shop/web +3"]
    assert [one.split()[1] for one in found["sorted"]] == ["+3", "+2", "-1", "-3"]
    assert found["searched"] == ["shop/web +3"]
    # Both waves, the changes, the placement and the decision of web hold both words; those of others do not.
    assert 1 <= found["folds"] < 8


def test_the_policy_lets_the_script_of_the_page_run_and_no_other(tmp_path: Path) -> None:
    """The checksum is right: the search is there. With a letter more it is not, and the page is whole."""
    text = report_html(example())
    for name, page, runs in (
        ("own", text, True),
        ("other", text.replace('"use strict"', '"use  strict"'), False),
    ):
        file = tmp_path / f"{name}.html"
        file.write_text(page, encoding="utf-8")
        shown = dumped(file, tmp_path)
        assert ('type="search"' in shown) is runs
        assert "3 replicas move, 2 start, 1 stops in 2 waves" in shown
