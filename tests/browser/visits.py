"""One visit of a page by Chromium, and what a reader, a keyboard and axe-core find on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Playwright

from deploy.chromium import find_chromium

PHONE, DESKTOP = 320, 1_280
RULES: Final = (
    *("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"),
    "experimental",
)
# A shade at a table's edge shows that it scrolls. Axe judges no contrast over a gradient.
_WITHOUT_SHADE: Final = (
    "document.styleSheets[0].insertRule('.box { background-image: none !important }')"
)
_AXE: Final = """async tags => {
  const found = await axe.run(document, {runOnly: {type: 'tag', values: tags}});
  // axe does not judge a sign such as "+". Text of the same colour is next to it.
  const isSign = node => node.any.some(check => check.data?.messageKey === 'nonBmp');
  const isJudgedBelow = node => document.querySelector(node.target[0]).matches('svg text, code');
  const unsure = found.incomplete.filter(rule => rule.id === 'color-contrast').map(rule => ({
    ...rule, nodes: rule.nodes.filter(node => !isSign(node) && !isJudgedBelow(node))
  }));
  return [...found.violations, ...unsure].flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 200)}: ${node.failureSummary}`)
  );
}"""
# Axe is not sure of text over a shape, nor of wrapped lines of code, which their own box seems to cover.
# A picture's text stands on its node's shape, or on the page; code on the nearest box with a colour.
_FAINT: Final = """() => {
  const pixel = Object.assign(document.createElement('canvas'), {width: 1, height: 1})
    .getContext('2d', {willReadFrequently: true});
  const luminance = colour => {
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pixel.getImageData(0, 0, 1, 1).data].map(
      part => part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const isClear = colour => ['none', 'transparent', 'rgba(0, 0, 0, 0)'].includes(colour);
  const behind = text => {
    const shape = text.closest('svg') && text.closest('g, a')?.querySelector('rect');
    const fill = shape ? getComputedStyle(shape).fill : 'none';
    if (!isClear(fill)) return fill;
    let box = text;
    while (box !== document.body && isClear(getComputedStyle(box).backgroundColor)) box = box.parentElement;
    return getComputedStyle(box).backgroundColor;
  };
  const colour = text => getComputedStyle(text)[text.closest('svg') ? 'fill' : 'color'];
  return [...document.querySelectorAll('svg text, code, code span')].flatMap(text => {
    const lights = [colour(text), behind(text)].map(luminance);
    const ratio = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
    return ratio < 4.5 ? [`contrast ${ratio.toFixed(1)}: ${text.outerHTML.slice(0, 200)}`] : [];
  });
}"""
_FOCUSABLE: Final = """() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  const shown = all.filter(each => each.checkVisibility() && !each.disabled);
  shown.forEach((each, number) => each.dataset.number = number);
  return shown.map(each => each.outerHTML.slice(0, 150));
}"""
_FOCUSED: Final = """() => {
  const focused = document.activeElement;
  // A picture's link has a thick border around its node instead of an outline.
  const style = getComputedStyle(focused);
  const shape = focused.closest('svg') ? getComputedStyle(focused.querySelector('rect')) : null;
  return {
    number: focused.dataset.number === undefined ? null : Number(focused.dataset.number),
    isShown: shape === null
      ? style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
      : parseFloat(shape.strokeWidth) >= 4,
    isInView: (box => box.bottom > 0 && box.top < innerHeight)(focused.getBoundingClientRect()),
  };
}"""


@dataclass(slots=True)
class Visit:
    """A loaded page, and what it did that pages here never do."""

    page: Page
    status: int
    body: bytes
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Focus:
    """Attributes:
    unreachable: elements that Tab does not reach; invisible: those whose focus cannot be seen.
    """

    reached: int
    unreachable: Sequence[str]
    invisible: Sequence[str]


def launch(playwright: Playwright) -> Browser:
    """Without Chromium's sandbox, which root has no use of: it only visits our own pages."""
    return playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])


Scheme = Literal["light", "dark"]


def context(
    browser: Browser, *, scheme: Scheme = "light", width: int = DESKTOP, scripts: bool = True
) -> BrowserContext:
    return browser.new_context(
        color_scheme=scheme,
        viewport={"width": width, "height": 800},
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )


@contextmanager
def visited(browsing: BrowserContext, address: str) -> Iterator[Visit]:
    page = browsing.new_page()
    visit = Visit(page, 0, b"")

    def refuse(dialog: Dialog) -> None:
        visit.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def hear(message: ConsoleMessage) -> None:
        # The page itself, if it is a 404, is told of as a resource that is missing.
        if message.type in {"error", "warning"} and message.location["url"] != page.url:
            visit.complaints.append(f"console: {message.text}")

    page.on("dialog", refuse)
    page.on("console", hear)
    page.on("pageerror", lambda error: visit.complaints.append(f"script: {error}"))
    page.on("request", lambda request: visit.requests.append(request.url))
    try:
        response = page.goto(address)
        assert response is not None
        visit.status, visit.body = response.status, response.body()
        yield visit
    finally:
        page.close()


def violations(page: Page) -> Sequence[str]:
    """What axe-core finds, and pictures' text without contrast; one line for each element."""
    page.evaluate(_WITHOUT_SHADE)
    page.evaluate(AXE_SCRIPT)
    return [*page.evaluate(_AXE, list(RULES)), *page.evaluate(_FAINT)]


def overflow(page: Page) -> int:
    """Pixels by which the whole page scrolls sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def walk_by_keyboard(page: Page) -> Focus:
    """Presses Tab from the page's start to its end."""
    expected: Sequence[str] = page.evaluate(_FOCUSABLE)
    reached: set[int] = set()
    invisible: list[str] = []
    # A browser also stops at boxes that scroll, and at the page itself.
    for _ in range(2 * len(expected) + 5):
        page.keyboard.press("Tab")
        focused: Mapping[str, Any] = page.evaluate(_FOCUSED)
        number = focused["number"]
        if number is None:
            continue
        if number in reached:
            break
        reached.add(number)
        if not (focused["isShown"] and focused["isInView"]):
            invisible.append(expected[number])
    unreachable = [html for number, html in enumerate(expected) if number not in reached]
    return Focus(len(reached), unreachable, invisible)
