#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs tshark with docs/lmcc.lua over the wire format's test vectors.

usage: dissector.py LMCC.LUA WIRE-VECTORS.TXT
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile

SKIP = 77
PORT = 5004
# The names in the vectors, and those in the dissector where they differ.
FIELDS = {name: name for name in (
    "type first last more layer burst table stream class slot signal anchor "
    "lsn osn").split()}
FIELDS.update(switch="switch_point", top="top_layer", time="send_time")


def read_vectors(path):
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if not line.startswith("#"):
                kind, name, data, expected = line.rstrip("\n").split(" ", 3)
                yield kind, name, bytes.fromhex(data), expected


def ip_packet(data, port):
    udp = struct.pack(">HHHH", port, port, 8 + len(data), 0) + data
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 1, 17, 0,
                       bytes([192, 0, 2, 1]), bytes([239, 255, 42, 1]))
    return head + udp


def write_pcap(path, packets):
    with open(path, "wb") as pcap:
        # LINKTYPE_RAW is 101.
        pcap.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for seconds, packet in enumerate(packets):
            pcap.write(struct.pack("<IIII", seconds, 0, len(packet),
                                   len(packet)) + packet)


def dissect(script, pcap, fields):
    command = ["tshark", "-r", pcap, "-X", "lua_script:" + script,
               "-d", f"udp.port=={PORT},rtp", "-d", f"udp.port=={PORT + 1},rtcp",
               "-T", "fields", "-E", "separator=/t", "-E", "occurrence=f"]
    for field in fields:
        command += ["-e", field]
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(command, capture_output=True, text=True, check=True,
                             env=dict(os.environ, HOME=home))
    if "Lua" in run.stderr and "rror" in run.stderr:
        sys.exit(run.stderr)
    return [line.split("\t") for line in run.stdout.splitlines()]


def expected_row(kind, expected):
    values = dict(item.split("=", 1) for item in expected.split() if "=" in item)
    row = [values.get(name, "") if kind == "rtp" else "" for name in FIELDS]
    if "record" in values:
        row += values["record"].split("/")[1:]
    else:
        row += [""] * 4
    return row


def normal(value):
    return {"True": "1", "False": "0"}.get(value, value)


def main():
    script, path = sys.argv[1:]
    if shutil.which("tshark") is None:
        print("tshark is not installed: the dissector is not tested")
        return SKIP

    vectors = [vector for vector in read_vectors(path) if vector[0] != "sdp"
               and vector[3] not in ("refused", "unknown-element")]
    fields = ["lmcc." + name for name in FIELDS.values()]
    fields += ["lmcc.record." + name
               for name in ("version", "index", "count", "size")]
    with tempfile.TemporaryDirectory() as directory:
        pcap = os.path.join(directory, "vectors.pcap")
        write_pcap(pcap, [ip_packet(data, PORT + (kind == "rtcp"))
                          for kind, _, data, _ in vectors])
        rows = dissect(script, pcap, fields)

    if len(rows) != len(vectors):
        sys.exit(f"{len(vectors)} packets, but {len(rows)} lines from tshark")
    failures = 0
    for (kind, name, _, expected), row in zip(vectors, rows):
        got = [normal(value) for value in row]
        if got != expected_row(kind, expected):
            print(f"{name}:\n  {expected_row(kind, expected)}\n  {got}")
            failures += 1
    print(f"{len(vectors)} vectors, {failures} differ")
    return 1 if failures or not vectors else 0


if __name__ == "__main__":
    sys.exit(main())
