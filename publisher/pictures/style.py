"""The style sheet of pictures; it uses the pages' variables, such as ``--ink`` and ``--paper``."""

from __future__ import annotations

from typing import Final

PALETTE: Final = """\
svg.picture {
  --ink: #1b1f24; --soft: #5a6270; --paper: #fff; --panel: #f4f6f8; --line: #d9dee4;
  --link: #0b57b8; --good: #0a6b2b; --bad: #a40000; --warn: #7a4b00; background: var(--paper);
}
@media (prefers-color-scheme: dark) {
  svg.picture {
    --ink: #e4e7eb; --soft: #a2abb8; --paper: #14171a; --panel: #1e2327; --line: #363d45;
    --link: #8ab4f8; --good: #81c995; --bad: #ff8a80; --warn: #f2c572;
  }
}
"""
"""The variables for a picture outside the pages, with the same colours."""

STYLE: Final = """\
.picture { display: block; margin: 0 auto; }
.picture text {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  text-anchor: middle; fill: var(--ink);
}
.picture .label { font-size: 13px; }
.picture .small { font-size: 12px; fill: var(--soft); }
.picture .on-edge { font-size: 12px; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.picture .node rect { fill: var(--panel); stroke: var(--soft); stroke-width: 1px; }
.picture .view rect { rx: 14px; }
.picture .filled rect { stroke-dasharray: 2 3; stroke-width: 1.5px; }
.picture .more rect { fill: none; stroke-dasharray: 4 4; }
.picture .good rect { stroke: var(--good); stroke-width: 2px; }
.picture .warn rect { stroke: var(--warn); stroke-width: 2px; }
.picture .bad rect { stroke: var(--bad); stroke-width: 2px; }
.picture .good .small { fill: var(--good); }
.picture .warn .small { fill: var(--warn); }
.picture .bad .small { fill: var(--bad); }
.picture .focus rect { stroke-width: 3px; }
.picture .focus .label { font-weight: 700; }
.picture a .label { fill: var(--link); }
.picture a:hover .label { text-decoration: underline; }
.picture a:focus { outline: none; }
.picture a:focus-visible rect { stroke: var(--link); stroke-width: 4px; stroke-dasharray: none; }
.picture .line { fill: none; stroke: var(--soft); stroke-width: 1.5px; }
.picture .tip { fill: var(--soft); }
.picture .indirect .line { stroke-dasharray: 7 5; }
.picture .of-rows .line { stroke-dasharray: 10 4 2 4; }
.picture .fills .line { stroke-dasharray: 2 4; stroke-width: 2px; }
"""
