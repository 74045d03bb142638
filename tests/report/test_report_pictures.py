"""The pictures of a report: small, escaped, and the same every time."""

import re
from fractions import Fraction

import pytest

from fairlead.report.content.fullness import FullnessSeries
from fairlead.report.html.canvas import drawn, fitting, measured
from fairlead.report.html.document import asset
from fairlead.report.html.pictures import flow_picture, in_words, wave_picture
from fairlead.report.html.utilisation import panel
from fairlead.solver.plan.waves import Move
from report_reading import addresses, read

FLOWS = (
    Move("", "east", "west", 6),
    Move("", "east", "north", 3),
    Move("", None, "west", 2),
    Move("", "north", None, 1),
)


def texts(picture: str) -> list[str]:
    """Return the texts of a picture in the order in which they were drawn."""
    return re.findall(r"<text [^>]*>([^<]*)</text>", picture)


def sizes(picture: str, colour: str, side: str) -> list[float]:
    """Return the widths or heights of all rectangles in a colour."""
    return [float(one) for one in re.findall(rf'<rect class="{colour}"[^>]* {side}="([^"]*)"', picture)]


def heights(picture: str, colour: str) -> list[float]:
    """Return the heights of all rectangles in a colour."""
    return sizes(picture, colour, "height")


def widths(picture: str, colour: str) -> list[float]:
    """Return the widths of all rectangles in a colour."""
    return sizes(picture, colour, "width")


def test_the_flow_picture_names_both_ends_with_their_replicas() -> None:
    """The busiest cluster is at the top of its side, what stands for no cluster at the bottom."""
    picture = flow_picture(FLOWS, 800, "flows")
    assert texts(picture) == [
        "from",
        "to",
        "east: 9",
        "north: 1",
        "started new: 2",
        "west: 8",
        "north: 3",
        "stopped: 1",
    ]


def test_the_width_of_a_band_is_its_number() -> None:
    """12 replicas take 14 pixels each: the bars at the ends of 9, 8, 3 and 1 replicas are that high."""
    picture = flow_picture(FLOWS, 800, "flows")
    bars = heights(picture, "move")
    assert sorted(bars) == pytest.approx([14, 3 * 14, 8 * 14, 9 * 14])


def test_clusters_may_be_called_like_what_is_none() -> None:
    """A cluster named "stopped" is another place than no cluster at all."""
    picture = flow_picture((Move("", "a", "stopped", 2), Move("", "a", None, 1)), 800, "flows")
    assert texts(picture)[-2:] == ["stopped: 2", "stopped: 1"]
    # The bar of what is none, and the band that leads to it.
    assert picture.count('class="stop') == 2


def test_waves_in_words() -> None:
    """Plurals are right, with and without a noun."""
    counts = {"move": 1, "start": 2, "stop": 1}
    assert in_words(counts) == "1 moves, 2 start, 1 stops"
    assert in_words(counts, "replica") == "1 replica moves, 2 start, 1 stops"
    assert in_words({"move": 0, "start": 0, "stop": 2}, "replica") == "2 replicas stop"


def test_the_wave_picture_compares_waves() -> None:
    """A wave of four is twice as long as one of two."""
    picture = wave_picture(
        ({"move": 4, "start": 0, "stop": 0}, {"move": 2, "start": 0, "stop": 0}), 800, "waves"
    )
    long, short = widths(picture, "move")
    # Coordinates are tenths of a pixel.
    assert long == pytest.approx(2 * short, abs=0.2)
    assert texts(picture) == ["wave 1", "4 move", "wave 2", "2 move"]


def test_waves_of_large_numbers_keep_room_for_bars() -> None:
    """On a telephone the words would leave no room for bars: the sum stands there instead."""
    counts = {"move": 12345, "start": 12345, "stop": 12345}
    assert texts(wave_picture((counts,), 800, "waves"))[1] == "12345 move, 12345 start, 12345 stop"
    narrow = wave_picture((counts,), 320, "waves")
    assert texts(narrow)[1] == "37035 replicas"
    assert min(widths(narrow, "stop")) >= 20


def course(*parts: Fraction | None, resource: str = "cpu", cluster: str = "east") -> FullnessSeries:
    """Return how full a cluster is, step by step."""
    return FullnessSeries(cluster, resource, 4000, parts)


def test_a_panel_has_a_bar_for_every_step_in_the_colour_of_its_threshold() -> None:
    """Half, nine tenths and five quarters: below, at and beyond the thresholds, as high as they are full."""
    told, picture = panel([course(Fraction(1, 2), Fraction(9, 10), Fraction(5, 4))], "abc", compared=False)
    (half,), (high,), (over,) = (heights(picture, one) for one in ("move", "notice", "bad"))
    assert [high / half, over / half] == pytest.approx([1.8, 2.5], abs=0.02)
    # What a colour says is said in words as well.
    assert texts(picture) == ["east", "over 100%", "cpu", "50% → 125%"]
    assert told == "east: cpu a 50%, b 90%, c 125%"


def test_far_over_the_limit_bars_end_and_texts_go_on() -> None:
    """Nine times as much as there is does not squeeze everything else to nothing."""
    picture = panel([course(Fraction(9), Fraction(1, 2))], "ab", compared=False).svg
    # Bars end at five quarters, of which a half is two fifths.
    assert heights(picture, "bad")[0] * 2 / 5 == pytest.approx(heights(picture, "move")[0])
    assert "900% → 50%" in texts(picture)


def test_a_cluster_that_comes_or_goes_has_no_bar() -> None:
    """New and gone are words; of what is compared the range is told."""
    picture = panel([course(None, Fraction(1, 4))], "ab", compared=False).svg
    assert len(heights(picture, "move")) == 2
    assert min(heights(picture, "move")) == 0
    assert "new → 25%" in texts(picture)
    assert "25% → gone" in texts(panel([course(Fraction(1, 4), None)], "ab", compared=False).svg)
    compared = panel([course(Fraction(3, 4), Fraction(1, 4), Fraction(1, 2))], "abc", compared=True).svg
    assert "25%-75%" in texts(compared)


def test_a_panel_shows_the_fullest_resources() -> None:
    """Of five resources the emptiest is left out; the others stand in name order."""
    rows = [course(Fraction(at, 10), resource=f"r{at}") for at in (5, 3, 1, 4, 2)]
    assert texts(panel(rows, "a", compared=False).svg)[1::2] == ["r2", "r3", "r4", "r5"]


def test_long_names_keep_both_ends() -> None:
    """A name that is too wide loses its middle; what is left fits."""
    name = "production-europe-west-4-general-purpose-a"
    shown = fitting(name, 120)
    assert measured(shown) <= 120 < measured(name)
    assert re.fullmatch("produc.*….*-a", shown)
    assert fitting(name, 1000) == name
    assert fitting(name, 1) == "…"


def test_narrow_pictures_are_narrow() -> None:
    """Nothing lies outside of 320 pixels, whatever the names."""
    name = "production-europe-west-4-general-purpose-a"
    flows = (Move("", name, f"{name}b", 12345),)
    fills = [course(Fraction(1, 3), Fraction(2), resource="example.com/very-special", cluster=name)]
    for picture in (flow_picture(flows, 320, "flows"), panel(fills, "ab", compared=False).svg):
        found = re.findall(r'<text class="[^"]*" x="([^"]*)" y="[^"]*"([^>]*)>([^<]*)<', picture)
        assert len(found) > 3
        for x, anchor, text in found:
            width, at = measured(text), float(x)
            left = at - width if "end" in anchor else at
            assert -1 <= left <= left + width <= 321, text


def test_texts_are_escaped_and_taken_as_they_are() -> None:
    """Neither markup nor mathematics, nor what looks like the picture's own attributes."""
    strange = '<b>&id="x"url(#y)$x^2$'
    picture = drawn("strange", 400, 40, lambda canvas: canvas.text((0, 20), strange))
    assert texts(picture) == ['&lt;b&gt;&amp;id="x"url(#y)$x^2$']
    read(f"<!doctype html><div>{picture}</div>")


def test_pictures_are_small_and_whole() -> None:
    """The largest pictures stay under 20 KB, hold no address, and are well-formed."""
    names = [f"production-europe-{number:02}" for number in range(16)]
    flows = tuple(
        Move("", names[index % 16], names[(index + 1 + index // 16) % 16], 50 - index) for index in range(40)
    )
    rows = [course(*[Fraction(1, 3)] * 62, resource=name) for name in ("cpu", "memory", "pods", "gpu")]
    waves = [{"move": 5, "start": 1, "stop": 2}] * 40
    for picture in (
        flow_picture(flows, 800, "flows"),
        wave_picture(waves, 800, "waves"),
        panel(rows, [""] * 62, compared=False).svg,
    ):
        assert len(picture.encode()) < 20_000
        assert addresses(picture) == []
        read(f"<!doctype html><div>{picture}</div>")


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2)."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2)."""
    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


def palettes() -> list[dict[str, str]]:
    """Return the colours of the style sheet: light, dark, printed."""
    blocks = re.findall(r"\.fairlead \{(.*?)\}", asset("colours.css"), re.DOTALL)
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in blocks]


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark", "print"])
def test_colours_can_be_told_from_their_ground(palette: dict[str, str]) -> None:
    """Texts have a contrast of at least 4.5, bars one of at least 3, as WCAG 2.1 AA asks."""
    assert palette.keys() >= {"page", "card", "ink", "muted", "track", "move", "start", "stop", "good", "bad"}
    for ground in ("card", "page"):
        for name in ("ink", "muted", "link", "good", "notice", "bad", "stop"):
            assert contrast(palette[name], palette[ground]) >= 4.5, (name, ground)
    for name in ("move", "start", "stop", "warm", "bad"):
        assert contrast(palette[name], palette["card"]) >= 3
        # An empty track must not look like a full one.
        assert contrast(palette[name], palette["track"]) >= 3
