# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why a level changed, in the words of people who know nothing of the algorithms. The library's own words are for those
who do: `events.jsonl` and `gst-lmcc-1.0 listen` have them, and docs/researchers/plumb.md explains them."""

PLAIN = {
    'start': 'it begins with the lowest level',
    'the base layer is joined first': 'it begins with the lowest level',
    'slow start': 'nothing was lost so far',
    # plumb
    'packet trains find room for the next layer': 'tests showed room for it',
    'nothing was lost for long': 'nothing was lost for a while',
    "the fair rate is above the level's": 'TCP would get more here',
    'competing traffic has gone': 'other traffic has gone',
    "the fair rate is below the level's": 'TCP would get less here',
    'new competing traffic': 'other traffic has come',
    "the fair rate is far below the level's": 'TCP would get much less here',
    "the path carries far less than the level's rate": 'the link does not carry more',
    'too many pictures are missing': 'too many pictures were missing',
    # elm
    "the calculated rate is below the level's": 'TCP would get less here',
    "the calculated rate is above the next level's": 'TCP would get more here',
    # rlm
    'join experiment': 'it tries whether there is room',
    'the join experiment failed': 'packets were lost at the higher level',
    'too much loss': 'too many packets were lost',
    # rlc, flid-sl, flid-dl, synchronized
    'no loss before the synchronization point': 'no loss, and the sender let it try',
    'no loss in the slot, and its signal permits a step up': 'no loss, and the sender let it try',
    'a synchronization point of the next layer': 'the sender let it try',
    'loss': 'packets were lost',
    'loss in the slot': 'packets were lost',
    'loss in a burst': "packets were lost in the sender's test",
    'no packet of the base layer in a slot': 'nothing came for a moment',
    # Limits of the user; without a network max-bitrate stands for the link.
    'max-bitrate': 'the limit on the rate allows no more',
    'max-level': 'the limit on the level allows no more',
}


def plain(reason):
    """The library's own words where there are no others."""
    return PLAIN.get(reason, reason)
