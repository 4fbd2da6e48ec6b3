"""What every page for people shares: the document around it, its one stylesheet, escaped pieces.

Cells and bodies are HTML already; whoever makes them escapes untrusted text with ``text``.
The pages run no script and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable
from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5a6270;--paper:#fff;--panel:#f4f6f8;--line:#d9dee4;
--link:#0b57b8;--good:#0a6b2b;--bad:#a40000;--warn:#7a4b00;--shade:#0003}
@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#a2abb8;--paper:#14171a;--panel:#1e2327;
--line:#363d45;--link:#8ab4f8;--good:#81c995;--bad:#ff8a80;--warn:#f2c572;--shade:#fff3}}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,sans-serif;margin:0 auto;max-width:72rem;padding:1rem 1rem 4rem;
color:var(--ink);background:var(--paper)}
a{color:var(--link)}a:focus-visible,.box:focus-visible,summary:focus-visible,input:focus-visible{
outline:2px solid var(--link);outline-offset:2px}
h1,h2,h3,p,dd,li{overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.2rem;margin:2.2rem 0 .6rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.2rem 0 .3rem}
nav,.soft{color:var(--soft)}nav{font-size:.9rem}nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;
list-style:none;margin:.6rem 0 0;padding:0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.88em}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;margin:.4rem 0;
padding:.7rem .9rem;white-space:pre-wrap;overflow-wrap:anywhere}
.box{overflow-x:auto;border:1px solid var(--line);border-radius:.4rem;
background:linear-gradient(to left,var(--paper) 30%,transparent) right/3rem 100% no-repeat local,
linear-gradient(to left,var(--shade),transparent) right/1rem 100% no-repeat scroll,var(--paper)}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.4rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}
thead th{background:var(--panel);font-size:.85rem;white-space:nowrap}
tbody tr:last-child>*{border-bottom:0}tbody th{font-weight:400}
td{overflow-wrap:break-word;min-width:6rem;max-width:36rem}.box tbody th{white-space:nowrap}
tr:target{background:var(--panel)}
td.wide{min-width:16rem}
@media(max-width:40rem){th,td{padding:.35rem .5rem;font-size:.9rem}td{min-width:3rem}td.wide{min-width:12rem}}
.d1{padding-left:1.3rem}.d2{padding-left:2.3rem}.d3{padding-left:3.3rem}.d4{padding-left:4.3rem}
dl{display:flex;flex-wrap:wrap;gap:.8rem 2.2rem;margin:1rem 0}dt{color:var(--soft);font-size:.85rem}
dd{margin:0}.figures dd{font-size:1.4rem}
.release{border-top:1px solid var(--line);padding:.7rem 0}.release:first-of-type{border-top:0}
.release h3{margin:0;font-size:1.05rem;display:flex;flex-wrap:wrap;gap:.1rem .7rem;align-items:baseline}
.release h3 .soft{font-size:.9rem;font-weight:400}.release p{margin:.3rem 0 0}
.release ul{margin:.3rem 0 0;padding-left:1.3rem}
.tag{font-size:.8rem;font-weight:400;border:1px solid currentcolor;border-radius:1rem;padding:0 .55rem}
.major,.no,.yanked{color:var(--bad)}.minor,.yes{color:var(--good)}.patch,.first{color:var(--soft)}
.note{border-left:.25rem solid var(--warn);background:var(--panel);padding:.5rem .8rem;margin:.8rem 0}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--link)}
input{font:inherit;max-width:100%;padding:.25rem .5rem}
"""

_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
CONTENT_SECURITY_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def document(title: str, body: str) -> bytes:
    """The whole page; ``title`` is plain text."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head>"
        f"<body>{body}</body></html>\n"
    ).encode("utf-8", "replace")


def text(value: str) -> str:
    return html.escape(value)


def link(address: str, shown: str) -> str:
    return f'<a href="{text(address)}">{text(shown)}</a>'


def table(caption_id: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    """A table that scrolls in its own box, by keyboard too; ``caption_id`` is its heading's id."""
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in heads)
    return (
        f'<div class="box" role="region" tabindex="0" aria-labelledby="{text(caption_id)}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(head: str, *cells: str) -> str:
    """``head`` is the cell that names the row."""
    return f'<tr><th scope="row">{head}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
