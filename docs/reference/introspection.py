# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the elements of the built plugins with their pads, properties and signals."""
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

# A blurb names its unit, or says what it counts.
UNIT = re.compile(r'\b(bit/s|ms|ns|bytes)\b')
COUNTED = re.compile(r'\b[Nn]umber of (?:\w+ )?(packets|pictures|buffers|threads|layers)\b|\b(share)\b')
NUMBERS = {'gint', 'guint', 'gint64', 'guint64', 'gdouble', 'gfloat'}
LISTS = {'gchararray', 'GstValueArray'}
# GST_PARAM_CONTROLLABLE and the like are not available in PyGObject.
READABLE, WRITABLE = 1 << 0, 1 << 1
CONSTRUCT, CONSTRUCT_ONLY = 1 << 2, 1 << 3
GSTREAMER_FLAGS = {1 << 9: 'controllable', 1 << 10: 'may be set up to READY', 1 << 11: 'may be set up to PAUSED',
                   1 << 12: 'may be set in PLAYING'}


@dataclass
class Property:
    name: str
    type: str
    range: str
    default: str
    unit: str
    flags: str
    blurb: str
    values: list = field(default_factory=list)  # values of an enumeration: (nick, number, description)


@dataclass
class Element:
    name: str
    plugin: str
    type: str
    classification: str
    description: str
    rank: int
    ancestors: list
    pads: list  # (name, direction, presence, caps)
    properties: list
    inherited: dict  # names of inherited properties by type
    signals: list  # (name, types of parameters, return type, flags)
    structures: dict  # field names of each property that is a structure, in state NULL


def unit_of(blurb, type_name):
    if type_name in NUMBERS | LISTS and (found := UNIT.search(blurb)):
        return found[1]
    if type_name in NUMBERS and (found := COUNTED.search(blurb)):
        return found[1] or found[2]
    return ''


def number(value):
    return f'{value:g}' if isinstance(value, float) else str(value)


def range_of(spec):
    if spec.value_type.name not in NUMBERS:
        return ''
    return f'{number(spec.minimum)} to {number(spec.maximum)}'


def default_of(spec):
    value = getattr(spec, 'default_value', None)
    if value is None:
        return 'unset'
    if hasattr(value, 'value_nick'):
        return value.value_nick
    if isinstance(value, bool):
        return str(value).lower()
    return number(value) if isinstance(value, (int, float)) else f'"{value}"'


def values_of(spec):
    values = getattr(getattr(spec, 'enum_class', None), '__enum_values__', {})
    return [(value.value_nick, int(value), value.value_name) for _, value in sorted(values.items())]


def flags_of(bits):
    names = [{READABLE: 'read only', WRITABLE: 'write only'}.get(bits & (READABLE | WRITABLE), 'read and write')]
    if bits & CONSTRUCT_ONLY:
        names.append('set at construction only')
    if bits & WRITABLE:
        names += [name for bit, name in GSTREAMER_FLAGS.items() if bits & bit]
    return ', '.join(names)


def property_of(spec):
    blurb = spec.blurb or ''
    type_name = spec.value_type.name
    return Property(spec.name, type_name, range_of(spec), default_of(spec), unit_of(blurb, type_name),
                    flags_of(int(spec.flags)), blurb, values_of(spec))


class Plugins:
    """The plugins of a build, read with a temporary GStreamer registry."""

    def __init__(self, build):
        self.build = Path(build)

    def elements(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ['GST_REGISTRY_1_0'] = f'{folder}/registry.bin'
            import gi
            gi.require_version('Gst', '1.0')
            from gi.repository import GObject, Gst
            Gst.init(None)
            return sorted(self.read(Gst, GObject), key=lambda element: element.name)

    def read(self, gst, gobject):
        registry = gst.Registry.get()
        for path in sorted(self.build.glob('plugins/**/libgst*.so')):
            plugin = gst.Plugin.load_file(str(path)).get_name()
            for feature in registry.get_feature_list_by_plugin(plugin):
                if isinstance(feature, gst.ElementFactory):
                    yield read_element(feature, plugin, gst, gobject)


def read_element(factory, plugin, gst, gobject):
    element = factory.create(None)
    own = element.__gtype__
    properties = element.list_properties()
    inherited = {}
    for spec in properties:
        if spec.owner_type != own:
            inherited.setdefault(spec.owner_type.name, []).append(spec.name)
    structures = {spec.name: structure_fields(element, spec.name) for spec in properties
                  if spec.owner_type == own and spec.value_type.name == 'GstStructure' and not spec.flags & WRITABLE}
    return Element(factory.get_name(), plugin, own.name, factory.get_metadata('klass'),
                   factory.get_metadata('description'), factory.get_rank(), ancestors_of(own),
                   [pad_of(template) for template in factory.get_static_pad_templates()],
                   [property_of(spec) for spec in properties if spec.owner_type == own], inherited,
                   [signal_of(gobject.signal_query(number)) for number in gobject.signal_list_ids(own)], structures)


def structure_fields(element, name):
    structure = element.get_property(name)
    return [structure.nth_field_name(i) for i in range(structure.n_fields())] if structure else []


def ancestors_of(gtype):
    names = []
    while gtype.name != 'GObject':
        gtype = gtype.parent
        names.append(gtype.name)
    return names


def pad_of(template):
    return (template.name_template, template.direction.value_nick, template.presence.value_nick,
            template.get_caps().to_string())


def signal_of(query):
    flags = [name for name, bit in (('action', 1 << 5), ('detailed', 1 << 4)) if int(query.signal_flags) & bit]
    returned = query.return_type.name
    return query.signal_name, [gtype.name for gtype in query.param_types], returned, ', '.join(flags)
