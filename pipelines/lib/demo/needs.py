# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks before a run starts that everything it needs is installed, as much of it is used only at the end."""
import importlib.util
import shutil

from installed import where

# Modules that the child processes, the figures and the plot need.
MODULES = ('gi', 'numpy', 'matplotlib')

# Programs for the competing TCP connection.
PROGRAMS = ('iperf3', 'setpriv')


class Missing(Exception):
    """Something is not installed; the text lists all of it with the packages."""


def missing_modules():
    lacking = [name for name in MODULES if importlib.util.find_spec(name) is None]
    if 'gi' not in lacking:
        import gi
        for namespace in ('Gst', 'GstApp'):
            try:
                gi.require_version(namespace, '1.0')
            except ValueError:
                lacking.append(namespace)
    return lacking


def missing_elements(descriptions):
    """The elements of these pipeline descriptions that GStreamer does not have."""
    from .process import GLib, Gst
    Gst.init(None)
    lacking = []
    for description in descriptions:
        context = Gst.ParseContext.new()
        try:
            Gst.parse_launch_full(description, context, Gst.ParseFlags.NONE)
        except GLib.Error:
            if not context.get_missing_elements():
                raise
        lacking += [name for name in context.get_missing_elements() if name not in lacking]
    return lacking


def descriptions(sender, receiver):
    """The pipeline descriptions of a run with these options of its sender and its receivers."""
    from . import film, receiver as receiving, sender as sending
    yield sending.FILM
    yield sending.describe(sender)
    yield receiving.describe(receiver)
    if receiver['measured']:
        yield receiving.RECORDER
        yield film.describe(1, 1, 1)


def check(sender, receiver, network):
    """Raises Missing if something is not installed. A run in a `network` needs TCP too."""
    kinds = [('Python module', missing_modules())]
    if network:
        kinds.append(('program', [name for name in PROGRAMS if shutil.which(name) is None]))
    if not kinds[0][1]:
        kinds.append(('element', missing_elements(descriptions(sender, receiver))))
    lacking = [f'the {kind} {name} ({where(name)})' for kind, names in kinds for name in names]
    if lacking:
        raise Missing(f"not installed: {', '.join(lacking)}")
