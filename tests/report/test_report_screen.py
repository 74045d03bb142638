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
from small_plans import example, fleet, large, planned, service

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


def seen(text: str, width: int, folder: Path) -> dict[str, Any]:
    """Return what a browser sees of a page in a window of a width, everything unfolded."""
    file = folder / "report.html"
    # The page forbids scripts, which is right; the copy that is measured may run one.
    open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    assert open_page != text
    # A browser's own window is never narrower than 500 pixels; a frame in it may be.
    inside = escape(open_page.replace("</body>", f"{MEASURE}</body>"))
    frame = f'<iframe style="border: 0; width: {width}px; height: 900px" srcdoc="{inside}"></iframe>'
    file.write_text(f"<!doctype html><meta charset=utf-8>{frame}", encoding="utf-8")
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width + 100},1000",
        "--dump-dom",
        file.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
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
    # Of the two forms of every picture one is shown.
    assert found["pictures"] == {"example": 3, "long names": 3, "large": 3, "infeasible": 0}.get(name, 1)


def test_the_measure_sees_what_is_wrong(tmp_path: Path) -> None:
    """The check is no empty promise: a page with a wide table and two labels on one place is caught."""
    text = report_html(example()).replace("overflow-x: auto", "").replace("@media screen", "@media speech")
    text = text.replace("<td", '<td style="min-width: 30rem"').replace("x=", "data-x=")
    found = seen(text, 360, tmp_path)
    assert found["width"] > 360
    assert found["overlaps"]
