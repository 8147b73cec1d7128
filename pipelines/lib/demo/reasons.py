# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Explanations of level changes for viewers who do not know the algorithms. `events.jsonl` and `gst-lmcc-1.0 listen`
have the library's own reasons, which docs/researchers/plumb.md explains."""

PLAIN = {
    'start': 'it starts with the lowest level',
    'the base layer is joined first': 'it starts with the lowest level',
    'slow start': 'no packet loss so far',
    # plumb
    'packet trains find room for the next layer': 'a packet train showed room for it',
    'nothing was lost for long': 'no packet loss for a while',
    "the fair rate is above the level's": 'the fair rate allows more',
    'competing traffic has gone': 'competing traffic has ended',
    "the fair rate is below the level's": 'the fair rate allows less',
    'new competing traffic': 'competing traffic has started',
    "the fair rate is far below the level's": 'the fair rate allows much less',
    "the path carries far less than the level's rate": 'not enough capacity for this level',
    'too many pictures are missing': 'too many pictures were lost',
    # elm
    "the calculated rate is below the level's": 'the TCP-friendly rate allows less',
    "the calculated rate is above the next level's": 'the TCP-friendly rate allows more',
    # rlm
    'join experiment': 'it tests whether the layer fits',
    'the join experiment failed': 'the higher level caused packet loss',
    'too much loss': 'packet loss was too high',
    # rlc, flid-sl, flid-dl, synchronized
    'no loss before the synchronization point': 'no loss, and the sender allows a join',
    'no loss in the slot, and its signal permits a step up': 'no loss, and the sender allows a join',
    'a synchronization point of the next layer': 'the sender allows a join',
    'loss': 'packet loss',
    'loss in the slot': 'packet loss',
    'loss in a burst': "packet loss in the sender's test burst",
    'no packet of the base layer in a slot': 'no base layer packets for a moment',
    # Limits set by the user; on the loopback interface, max-bitrate stands for the link.
    'max-bitrate': 'the bitrate limit allows no more',
    'max-level': 'the level limit allows no more',
}


def plain(reason):
    """The explanation of a reason, or the reason itself if the table does not have it."""
    return PLAIN.get(reason, reason)
