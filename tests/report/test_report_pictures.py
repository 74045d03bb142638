"""The pictures of a report: small, escaped, the same every time, and without a trace in matplotlib."""

import re
from fractions import Fraction
from importlib.resources import files

import matplotlib as mpl
import pytest

from fairlead.report.html.canvas import SIZE, drawn, fitting, measured
from fairlead.report.html.flow_picture import Flow, flow_picture
from fairlead.report.html.utilisation_picture import Fill, utilisation_picture
from fairlead.report.html.wave_picture import in_words, wave_picture
from report_reading import addresses, read

FLOWS = (Flow("east", "west", 6), Flow("east", "north", 3), Flow(None, "west", 2), Flow("north", None, 1))


def texts(picture: str) -> list[str]:
    """Return the texts of a picture in the order in which they were drawn."""
    return re.findall(r"<text [^>]*>([^<]*)</text>", picture)


def heights(picture: str, colour: str) -> list[float]:
    """Return the heights of everything in a colour."""
    shapes = re.findall(rf'<path d="([^"]*)"\s*style="fill: var\(--{colour}\)[^"]*"', picture)
    found = []
    for shape in shapes:
        numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", shape)]
        found.append(max(numbers[1::2]) - min(numbers[1::2]))
    return found


def widths(picture: str, colour: str) -> list[float]:
    """Return the widths of everything in a colour."""
    shapes = re.findall(rf'<path d="([^"]*)"\s*style="fill: var\(--{colour}\)[^"]*"', picture)
    found = []
    for shape in shapes:
        numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", shape)]
        found.append(max(numbers[::2]) - min(numbers[::2]))
    return found


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
    bars = [
        height
        for height, width in zip(heights(picture, "move"), widths(picture, "move"), strict=True)
        if width == 8
    ]
    assert sorted(bars) == pytest.approx([14, 3 * 14, 8 * 14, 9 * 14])


def test_clusters_may_be_called_like_what_is_none() -> None:
    """A cluster named "stopped" is another place than no cluster at all."""
    picture = flow_picture((Flow("a", "stopped", 2), Flow("a", None, 1)), 800, "flows")
    assert texts(picture)[-2:] == ["stopped: 2", "stopped: 1"]
    assert len(heights(picture, "stop")) == 2


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
    assert long == pytest.approx(2 * short)
    assert texts(picture) == ["wave 1", "4 move", "wave 2", "2 move"]


def test_waves_of_large_numbers_keep_room_for_bars() -> None:
    """On a telephone the words would leave no room for bars: the sum stands there instead."""
    counts = {"move": 12345, "start": 12345, "stop": 12345}
    assert texts(wave_picture((counts,), 800, "waves"))[1] == "12345 move, 12345 start, 12345 stop"
    narrow = wave_picture((counts,), 320, "waves")
    assert texts(narrow)[1] == "37035 replicas"
    assert min(widths(narrow, "stop")) >= 20


def test_what_is_over_the_limit_has_another_colour() -> None:
    """At 125 % a fifth of the bar lies beyond the line."""
    picture = utilisation_picture((Fill("east", "cpu", Fraction(5, 4), Fraction(1)),), 800, "fills")
    (within,) = widths(picture, "move")
    (beyond,) = widths(picture, "stop")
    assert beyond / (within + beyond) == pytest.approx(0.2)
    assert texts(picture) == ["100%", "east", "cpu", "100% → 125%"]


def test_far_over_the_limit_bars_end_and_texts_go_on() -> None:
    """Nine times as much as there is does not squeeze everything else to nothing."""
    fills = (Fill("east", "cpu", Fraction(9)), Fill("west", "cpu", Fraction(1, 2)))
    picture = utilisation_picture(fills, 800, "fills")
    full, half = widths(picture, "move")
    assert full == pytest.approx(2 * half)
    assert widths(picture, "stop") == pytest.approx([full / 2])
    assert "900%" in texts(picture)


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
    flows = (Flow(name, f"{name}b", 12345),)
    fills = (Fill(name, "example.com/very-special-accelerator", Fraction(1, 3), Fraction(2)),)
    for picture in (flow_picture(flows, 320, "flows"), utilisation_picture(fills, 320, "fills")):
        for style, x, text in re.findall(r'<text style="([^"]*)" x="([^"]*)"[^>]*>([^<]*)<', picture):
            width, at = measured(text), float(x)
            left = at - width if "end" in style else at - width / 2 if "middle" in style else at
            assert -1 <= left <= left + width <= 321, text


def test_texts_are_escaped_and_taken_as_they_are() -> None:
    """Neither markup nor mathematics, nor what looks like the picture's own attributes."""
    strange = '<b>&id="x"url(#y)#010101$x^2$text-0-'
    picture = drawn("strange", 400, 40, lambda canvas: canvas.text((0, 20), strange))
    assert texts(picture) == ['&lt;b&gt;&amp;id="x"url(#y)#010101$x^2$text-0-']
    read(f"<!doctype html><div>{picture}</div>")


def test_pictures_are_small_and_whole() -> None:
    """The largest pictures stay under 150 KB, hold no address, and are well-formed."""
    names = [f"production-europe-{number:02}" for number in range(16)]
    flows = tuple(
        Flow(names[index % 16], names[(index + 1 + index // 16) % 16], 50 - index) for index in range(40)
    )
    fills = tuple(
        Fill(name, resource, Fraction(1, 3), Fraction(1, 2))
        for name in names
        for resource in ("cpu", "memory", "pods", "nvidia.com/gpu")
    )
    waves = [{"move": 5, "start": 1, "stop": 2}] * 40
    for picture in (
        flow_picture(flows, 800, "flows"),
        wave_picture(waves, 800, "waves"),
        utilisation_picture(fills, 800, "fills"),
    ):
        assert len(picture.encode()) < 150_000
        assert addresses(picture) == []
        read(f"<!doctype html><div>{picture}</div>")


def test_identifiers_differ_between_pictures() -> None:
    """Two pictures in one page do not share an identifier."""
    read(f"<!doctype html><div>{flow_picture(FLOWS, 800, 'one')}{flow_picture(FLOWS, 800, 'two')}</div>")


def test_settings_of_the_user_neither_show_nor_change() -> None:
    """Whatever matplotlib is set to, the picture is the same, and the settings stay."""
    plain = flow_picture(FLOWS, 800, "flows")
    with mpl.rc_context(
        {"font.size": 40.0, "savefig.dpi": 300.0, "lines.linewidth": 9.0, "svg.fonttype": "path"}
    ):
        before = mpl.rcParams.copy()
        assert flow_picture(FLOWS, 800, "flows") == plain
        assert mpl.rcParams.copy() == before
    assert f"font-size: {SIZE:g}px" in plain


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
    style = files("fairlead.report.html").joinpath("templates", "style.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in blocks]


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark", "print"])
def test_colours_can_be_told_from_their_ground(palette: dict[str, str]) -> None:
    """Texts have a contrast of at least 4.5, bars one of at least 3, as WCAG 2.1 AA asks."""
    assert palette.keys() >= {"page", "card", "ink", "muted", "track", "move", "start", "stop", "good", "bad"}
    for ground in ("card", "page"):
        for name in ("ink", "muted", "link", "good", "notice", "bad", "stop"):
            assert contrast(palette[name], palette[ground]) >= 4.5, (name, ground)
    for name in ("move", "start", "stop"):
        assert contrast(palette[name], palette["card"]) >= 3
        # An empty track must not look like a full one.
        assert contrast(palette[name], palette["track"]) >= 3
