# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds links of a static site that lead nowhere, and what it would load from elsewhere."""
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that the browser follows by itself; of <link> only what it loads.
LOADED = {'img': 'src', 'script': 'src', 'iframe': 'src', 'source': 'src', 'video': 'src', 'link': 'href'}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = {'', 'top'}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ('id', 'name') if found.get(name)}
        if tag == 'a' and found.get('href'):
            self.links.append(found['href'])
        elif tag in LOADED and found.get(LOADED[tag]) and found.get('rel') != 'canonical':
            self.loads.append(found[LOADED[tag]])


def faults(site):
    """One line for each dead link, dead anchor, and file that comes from another server."""
    # Of a page for any address, and so with links from the server's root.
    paths = [path for path in sorted(Path(site).rglob('*.html')) if path.name != '404.html']
    pages = {path.resolve(): Page(path.read_text(encoding='utf-8')) for path in paths}
    return [f'{path.relative_to(Path(site).resolve())}: {fault}' for path, page in pages.items()
            for fault in page_faults(path, page, pages)]


def page_faults(path, page, pages):
    for address in page.loads:
        if urlsplit(address).netloc:
            yield f'loads {address}'
    for address in sorted(set(page.links + page.loads)):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target /= 'index.html'
        if not target.exists():
            yield f'{address} leads nowhere'
        elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f'{address}: there is no such anchor'
