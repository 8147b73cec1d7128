#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs tshark with docs/lmcc.lua over the test vectors of the wire format.

Extended reports are decoded by tshark itself and must agree with the vectors.

usage: dissector.py LMCC.LUA WIRE-VECTORS.TXT
"""

import datetime
import os
import shutil
import struct
import subprocess
import sys
import tempfile

SKIP = 77
PORT = 5004
# Field names in the vectors, and in the dissector where they differ.
FIELDS = {name: name for name in (
    "type first last more layer burst table stream class slot signal anchor "
    "lsn osn").split()}
FIELDS.update(switch="switch_point", top="top_layer", time="send_time", kind="second.kind", up="second.levels",
              place="second.place",
              repairs="repair.source", b="repair.first", k="repair.source_count", d="repair.step", index="repair.index",
              r="repair.count", carriers="repair.carriers", end="repair.end")
FIELDS.update(elicit="pgmcc.elicit", acker="pgmcc.acker", confirmed="pgmcc.confirmed_loss",
              nak_wait="pgmcc.nak_wait", pgmcc_rtt="pgmcc.rtt", round="tfmcc.round", limiting="tfmcc.limiting",
              receiver="tfmcc.receiver", x_supp="tfmcc.suppression_rate", echo="tfmcc.echo", r_max="tfmcc.rtt_max")
HEX_FIELDS = ("acker", "receiver", "carriers")
# In the same order as the vectors.
REPORT_FIELDS = {
    "tfmcc": "ssrc base_ssrc round has_rtt has_loss leaves rate time echo".split(),
    "pgmcc": "ssrc base_ssrc ack loss lead ack_sequence echo bitmap".split(),
    "key-request": "ssrc base_ssrc lsn".split(),
    "key-notice": ["base_ssrc"],
    "address-claim": ["base_ssrc"],
    "losses": "ssrc loss_rate burst".split()}
ALL_REPORT_FIELDS = sorted(set(sum(REPORT_FIELDS.values(), [])))
XR_FIELDS = ["rtcp.xr.timestamp", "rtcp.ssrc.identifier", "rtcp.xr.lrr", "rtcp.xr.dlrr"]
# Seconds from 1900 to 1970, and from 1970 to the wrap of the NTP timestamp (RFC 4330 section 3).
NTP_UNIX_OFFSET = 2208988800
NTP_ERA = 1 << 32


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
        # 101 is LINKTYPE_RAW.
        pcap.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for seconds, packet in enumerate(packets):
            pcap.write(struct.pack("<IIII", seconds, 0, len(packet),
                                   len(packet)) + packet)


def dissect(script, pcap, fields):
    command = ["tshark", "-r", pcap, "-X", "lua_script:" + script,
               "-d", f"udp.port=={PORT},rtp", "-d", f"udp.port=={PORT + 1},rtcp",
               "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a",
               "-E", "aggregator=;"]
    for field in fields:
        command += ["-e", field]
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(command, capture_output=True, text=True, check=True,
                             env=dict(os.environ, HOME=home, TZ="UTC"))
    if "Lua" in run.stderr and "rror" in run.stderr:
        sys.exit(run.stderr)
    return [line.split("\t") for line in run.stdout.splitlines()]


def expected_row(kind, expected):
    values = dict(item.split("=", 1) for item in expected.split() if "=" in item)
    for name in HEX_FIELDS:
        if name in values:
            values[name] = "0x" + values[name]
    row = [values.get(name, "") if kind == "rtp" else "" for name in FIELDS]
    if "record" in values:
        row += values["record"].split("/")[1:]
    else:
        row += [""] * 4
    if "notice" in values:
        receiver, base, version, level = values["notice"].split("/")
        row += ["0x" + receiver, "0x" + base, version, level]
    else:
        row += [""] * 4
    report = {}
    for protocol, names in REPORT_FIELDS.items():
        if kind in ("report", "rtcp") and protocol in values:
            report = dict(zip(names, values[protocol].split("/")))
    for name in ("ssrc", "base_ssrc", "bitmap"):
        if name in report:
            report[name] = "0x" + report[name]
    if report.get("ack") == "0":
        del report["bitmap"]
    return row + [report.get(name, "") for name in ALL_REPORT_FIELDS]


def shown_time(ntp):
    """Formats a 64-bit NTP time as tshark does."""
    seconds = (ntp >> 32) - NTP_UNIX_OFFSET
    if not ntp >> 63:
        seconds += NTP_ERA
    date = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    nanoseconds = ((ntp & 0xFFFFFFFF) * 10**9) >> 32
    return f"{date:%b %e, %Y %H:%M:%S}.{nanoseconds:09d} UTC"


def xr_agrees(expected, row):
    """Whether tshark found the same times and answers as the vector, in the same order."""
    items = [item.split("=", 1) for item in expected.split() if "=" in item]
    times = [shown_time(int(value.split("/")[1], 16)) for key, value in items if key == "reference"]
    answers = [value.split("/")[1:] for key, value in items if key == "dlrr"]
    shown, receivers, last, delays = (value.split(";") if value else [] for value in row)
    # If a packet has two times, tshark shows both; only the first counts. The SSRC of a CNAME is an identifier, too.
    return (shown[:len(times)] == times and bool(shown) == bool(times)
            and [int(last_rr, 16) for _, last_rr, _ in answers] == [int(value) for value in last]
            and [delay for _, _, delay in answers] == delays
            and [int(ssrc, 16) for ssrc, _, _ in answers]
            == [int(value, 16) for value in receivers[len(receivers) - len(answers):]])


def normal(value):
    return {"True": "1", "False": "0"}.get(value, value)


def record_packets(text, ssrc, fragments=1):
    """Compound packets whose session records together contain this text."""
    size = -(-len(text) // fragments)
    for index in range(fragments):
        part = text[index * size:(index + 1) * size].encode("ascii")
        padding = bytes(-len(part) % 4)
        body = struct.pack(">I4sHBBHH", ssrc, b"LMCC", 3, index, fragments, len(part), 0) + part + padding
        report = struct.pack(">BBHIQIII", 0x80, 200, 6, ssrc, 0, 0, 0, 0)
        yield report + struct.pack(">BBH", 0x81, 204, len(body) // 4) + body


def burst_packet(vectors, ssrc, level, layer=0, burst=True):
    """The vector with this name, with another session and another level."""
    data = bytearray(next(data for _, name, data, _ in vectors if name == "burst"))
    data[8:12] = struct.pack(">I", ssrc)
    at = data.index(b"\x1f") + 1
    data[at + 1] = layer << 2 | burst
    data[at + 2] = data[at + 2] & 3 | 7 << 2
    data[at + 6:at + 7] = struct.pack(">b", level)
    return bytes(data)


def check_trains(script, vectors):
    """Checks that packet trains are shown when the session's latest record announces trains; returns the number of
    errors."""
    plain = "v=0\na=x-lmcc:1 v=1 l=500000,250000 a={}{}\nm=video\n"
    trains, bursts, split = 0x12345000, 0xF2346000, 0x12347000
    cases = [
        # Before the first record, trains are unknown.
        (burst_packet(vectors, trains, 3), "", ""),
        *((packet, "2", "") for packet in record_packets(plain.format("plumb", " tr=2s"), trains)),
        (burst_packet(vectors, trains, 3), "", "3"),
        (burst_packet(vectors, trains + 2, 4, layer=2), "", "4"),
        (burst_packet(vectors, trains, 3, burst=False), "", ""),
        (burst_packet(vectors, trains, 2, layer=2), "", ""),
        *((packet, "", "") for packet in record_packets(plain.format("rlc", ""), bursts)),
        (burst_packet(vectors, bursts, 3), "", ""),
        *((packet, interval, "") for packet, interval in
          zip(record_packets(plain.format("elm", " tr=1500ms id=2"), split, 3), ("", "", "1.5"))),
        (burst_packet(vectors, split, 1), "", "1"),
        # The sender has stopped sending trains.
        *((packet, "", "") for packet in record_packets(plain.format("elm", " rtt=2s"), trains)),
        (burst_packet(vectors, trains, 3), "", "")]
    with tempfile.TemporaryDirectory() as directory:
        pcap = os.path.join(directory, "trains.pcap")
        write_pcap(pcap, [ip_packet(data, PORT + (data[1] >= 200)) for data, _, _ in cases])
        rows = dissect(script, pcap, ["lmcc.record.train_interval", "lmcc.train", "_ws.col.Info"])
    failures = 0
    for number, ((_, interval, level), row) in enumerate(zip(cases, rows)):
        label = f"[train for level {level or ''}"
        if row[:2] != [interval, level] or (label in row[2]) != bool(level):
            print(f"trains, packet {number + 1}: {[interval, level]}, but {row}")
            failures += 1
    if len(rows) != len(cases):
        sys.exit(f"{len(cases)} packets with trains, but tshark printed {len(rows)} lines")
    return failures


def check_levels(script):
    """Checks that a record's layers per level are shown, in one fragment or several; returns the number of errors."""
    plain = "v=0\na=x-lmcc:1 v=1 l=1,2,3{}\nm=video\n"
    cases = [(plain.format(""), 1, [""]), (plain.format(" lv=1,3,805 a=elm"), 1, ["0, 0+1, 0+2+11"]),
             (plain.format(" a=elm lv=1,8000000000000001"), 2, ["", "0, 0+63"])]
    packets = [packet for ssrc, (text, fragments, _) in enumerate(cases)
               for packet in record_packets(text, ssrc << 12, fragments)]
    with tempfile.TemporaryDirectory() as directory:
        pcap = os.path.join(directory, "levels.pcap")
        write_pcap(pcap, [ip_packet(data, PORT + 1) for data in packets])
        rows = dissect(script, pcap, ["lmcc.record.levels"])
    expected = [[shown] for _, _, all_shown in cases for shown in all_shown]
    if rows != expected:
        print(f"levels: {expected}, but {rows}")
    return rows != expected


def main():
    script, path = sys.argv[1:]
    if shutil.which("tshark") is None:
        print("SKIP: tshark is not installed (Debian: tshark)")
        return SKIP

    vectors = [vector for vector in read_vectors(path) if vector[0] != "sdp"
               and vector[3] not in ("refused", "unknown-element")]
    fields = ["lmcc." + name for name in FIELDS.values()]
    fields += ["lmcc.record." + name
               for name in ("version", "index", "count", "size")]
    fields += ["lmcc.notice." + name
               for name in ("ssrc", "base_ssrc", "version", "level")]
    fields += ["lmcc.report." + name for name in ALL_REPORT_FIELDS]
    n_own = len(fields)
    fields += XR_FIELDS
    with tempfile.TemporaryDirectory() as directory:
        pcap = os.path.join(directory, "vectors.pcap")
        write_pcap(pcap, [ip_packet(data, PORT + (kind != "rtp"))
                          for kind, _, data, _ in vectors])
        rows = dissect(script, pcap, fields)

    if len(rows) != len(vectors):
        sys.exit(f"{len(vectors)} packets, but tshark printed {len(rows)} lines")
    failures = 0
    for (kind, name, _, expected), row in zip(vectors, rows):
        got = [normal(value) for value in row[:n_own]]
        if kind == "rtcp" and not xr_agrees(expected, row[n_own:]):
            print(f"{name}:\n  {expected}\n  {row[n_own:]}")
            failures += 1
        if got != expected_row(kind, expected):
            print(f"{name}:\n  {expected_row(kind, expected)}\n  {got}")
            failures += 1
    failures += check_trains(script, vectors) + check_levels(script)
    print(f"{len(vectors)} vectors, trains and levels: {failures} differ")
    return 1 if failures or not vectors else 0


if __name__ == "__main__":
    sys.exit(main())
