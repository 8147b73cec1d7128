# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions for the processes of sender and receivers, which report events as lines of JSON."""
import json
import sys
import threading
import traceback

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
import gi.repository.GstApp  # noqa: E402  (gives appsrc and appsink their methods)
from gi.repository import GLib, Gst  # noqa: E402

WIDTH = 640
HEIGHT = 360
RAW_CAPS = f'video/x-raw,format=I420,width={WIDTH},height={HEIGHT},pixel-aspect-ratio=1/1'
FRAME_SIZE = WIDTH * HEIGHT * 3 // 2

output_lock = threading.Lock()


def tell(event, **fields):
    """Reports an event to the process that started this one."""
    line = json.dumps({'event': event, **fields})
    with output_lock:
        sys.stdout.write(line + '\n')
        sys.stdout.flush()


def field(structure, name):
    """A field of a structure, converted for JSON. PyGObject reads arrays only through get_array and get_list."""
    kind = structure.get_field_type(name).name
    if kind in ('GstValueArray', 'GstValueList'):
        array = (structure.get_array if kind == 'GstValueArray' else structure.get_list)(name)[1]
        return [plain(array.get_nth(i)) for i in range(array.n_values)]
    return plain(structure.get_value(name))


def plain(value):
    """A GStreamer value, converted for JSON."""
    if isinstance(value, Gst.Structure):
        names = [value.nth_field_name(i) for i in range(value.n_fields())]
        return {name: field(value, name) for name in names}
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def watch(pipeline, loop):
    """Reports warnings and errors of the pipeline, and exceptions in threads and callbacks, which PyGObject would
    ignore. Errors and exceptions end the loop. Returns a function that returns whether the loop ended in this way."""
    failed = []

    def on_exception(kind, error, trace):
        failed.append(True)
        where = traceback.extract_tb(trace)[-1] if trace else None
        tell('error', text=f'{kind.__name__}: {error}', element='python',
             debug=f'{where.filename}, line {where.lineno}' if where else None)
        # In case the loop has not started yet.
        GLib.idle_add(loop.quit)

    sys.excepthook = on_exception
    threading.excepthook = lambda raised: on_exception(raised.exc_type, raised.exc_value, raised.exc_traceback)

    def on_message(_bus, message):
        if message.type == Gst.MessageType.ERROR:
            error, debug = message.parse_error()
            failed.append(True)
            tell('error', text=error.message, debug=debug, element=message.src.get_name())
            loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            error, debug = message.parse_warning()
            tell('warning', text=error.message, debug=debug, element=message.src.get_name())

    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect('message', on_message)
    return lambda: bool(failed)


def run(kind):
    """Creates and runs a sender or a receiver with the options from the command line; returns the exit status."""
    Gst.init(None)
    try:
        return kind(json.loads(sys.argv[1])).run()
    except GLib.Error as error:
        tell('error', text=error.message, debug=None, element='pipeline')
        return 1


def read_commands(handle):
    """Calls `handle` in the main loop with each line of standard input, and with '' at the end of the input."""
    def read():
        for line in sys.stdin:
            GLib.idle_add(lambda text=line.strip(): handle(text) and False)
        GLib.idle_add(lambda: handle('') and False)

    threading.Thread(target=read, daemon=True).start()
