#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests 50 Mbit/s with repair data over a link that loses 2 % of the packets, with a change of level each second:
memory does not grow, the output does not stall, and both programs run until the end.

Usage: soak.py native|fixed [SECONDS]

Runs for a minute, or an hour with LMCC_TESTBED_FULL. The checks begin after a sixth of the time, at least 20 s and at
most 5 minutes, when the buffers have grown to their size. Memory is stable if the median of the last quarter is at most
GROWTH above that of the first quarter.
"""
import os
import re
import statistics
import subprocess
import sys
import time

import session
from session import lib

LOSS, SEED, DELAY = 0.02, 20040101, 0.01
PORT = 15464

# 50 pictures/s of 104 packets of 1200 bytes, a key frame each second, three classes.
STREAM = (104, 50, 50, 3)

# For each layering: the group, the settings of the sender, and the highest level.
SESSIONS = {
    'native': ('239.255.63.1', 'repair=0.1 repair-delay=500', 2),
    'fixed': ('239.255.63.17', 'layering=doubling layers=4 base-rate=7500000', 3),
}

# Seconds from the start until the first output: a window, repair data, and the next key frame.
START = 20

# kB. At 50 Mbit/s, a leak of one byte per packet is 18,000 kB in an hour.
GROWTH = 4096

# Longest time in ms without a packet at the output. The lowest level has only the first pictures of each second with
# layers of fixed rates; a picture that cannot be repaired ends a group of pictures, and the next one begins at most a
# second later. The rest allows for the machine.
STALL = 1500

# Share of the configured loss.
NEAR = (0.7, 1.4)

LINE = re.compile(r'^second (\d+) packets (\d+) longest ([\d.]+) lost (\d+) kernel (\d+) repaired (\d+) level (-?\d+) '
                  r'memory (\d+)$')


def memory_of(pid):
    """The resident memory of the process in kB."""
    with open(f'/proc/{pid}/status', encoding='ascii') as file:
        return int(re.search(r'VmRSS:\s+(\d+)', file.read())[1])


def slope(values):
    """The growth per minute of values, one per second, by least squares."""
    middle = (len(values) - 1) / 2
    mean = statistics.mean(values)
    return 60 * (sum((i - middle) * (value - mean) for i, value in enumerate(values)) /
                 sum((i - middle) ** 2 for i in range(len(values))))


def check_memory(name, values):
    quarter = len(values) // 4
    growth = statistics.median(values[-quarter:]) - statistics.median(values[:quarter])
    lib.note(f'{name}: {values[0]} to {values[-1]} kB, maximum {max(values)}, {slope(values):+.1f} kB per minute')
    lib.check(growth <= GROWTH, f'{name}: memory grew by {growth:.0f} kB from the first quarter to the last',
              f'more than {GROWTH}')


def watch(sender, receiver, seconds):
    """The sender's memory each second, while both run."""
    memory, end = [], time.monotonic() + seconds
    while time.monotonic() < end and sender.returncode() is None and receiver.returncode() is None:
        memory.append(memory_of(sender.pid))
        time.sleep(1)
    return memory


def end(child):
    """Whether the program ends without an error when its input ends."""
    if child.returncode() is not None:
        return False
    child.process.stdin.close()
    return child.ends(30) and child.returncode() == 0


def check_output(lines, skipped, seconds):
    lib.check(len(lines) > 0.9 * seconds, f'the receiver reported {len(lines)} of {seconds} seconds')
    judged = [[float(value) for value in line.groups()] for line in lines[skipped:]]
    longest = max(row[2] for row in judged)
    lib.check(longest <= STALL, f'the longest time without a packet at the output is {longest:.0f} ms', judged)
    lib.check(len({row[6] for row in judged}) > 1, 'the level changes')
    lib.note(f'{statistics.mean(row[1] for row in judged):.0f} packets/s at the output; the median of the longest '
             f'pause in each second is {statistics.median(row[2] for row in judged):.0f} ms')
    first, last = judged[0], judged[-1]
    lost, kernel, repaired = (last[i] - first[i] for i in (3, 4, 5))
    lib.note(f'{lost:.0f} packets lost, {kernel:.0f} of them by the host, {repaired:.0f} repaired')
    lib.check(repaired > 0, 'lost packets are repaired')
    return [row[7] for row in judged]


def main():
    layering = sys.argv[1]
    full = 'LMCC_TESTBED_FULL' in os.environ
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 3600 if full else 60
    group, options, top = SESSIONS[layering]
    lib.start(deadline=seconds + 120)
    net = lib.make_network()
    sender_host, host = net.add_host(), net.add_host(delay=DELAY, loss=LOSS, seed=SEED)
    receiver = lib.Child(
        [session.program('watch'), str(top), f'lmccsrc name=src algorithm=none address={group} port={PORT} '
         'buffer-size=4194304 ! fakesink name=counter sync=false async=false enable-last-sample=false'],
        name='receiver', prefix=host.prefix, stdin=subprocess.PIPE)
    lib.check(lib.wait_until(lambda: group in host.groups(), session.PATIENCE), f'{group} is joined')
    sender = lib.Child(
        [session.program('feed'), *map(str, STREAM),
         f'lmccsink name=element sync=false address={group} port={PORT} {options}'],
        name='sender', prefix=sender_host.prefix, stdin=subprocess.PIPE)
    skipped = max(START, min(300, seconds // 6))
    sent_memory = watch(sender, receiver, seconds)
    lib.check(end(receiver), 'the receiver ran to the end', *receiver.tail())
    lib.check(end(sender), 'the sender ran to the end', *sender.tail())
    lines = [match for _, match in receiver.find(LINE.pattern)]
    if len(lines) <= skipped or len(sent_memory) <= skipped:
        lib.check(False, 'there are measurements to check', *receiver.tail(), *sender.tail())
        lib.finish()
    memory = check_output(lines, skipped, seconds)
    check_memory('receiver', memory)
    check_memory('sender', sent_memory[skipped:])
    emulator, = net.close()
    share = emulator['dropped'] / (emulator['dropped'] + emulator['passed'])
    lib.note(f"the link lost {100 * share:.2f} % of {emulator['dropped'] + emulator['passed']} packets, and the "
             f"emulator {emulator['lost']}; it was {1000 * emulator['late-max']:.0f} ms late at most and took "
             f"{emulator['processor'] / seconds:.2f} of a core")
    lib.check(NEAR[0] * LOSS < share < NEAR[1] * LOSS, 'the link had the configured loss')
    lib.finish()


main()
