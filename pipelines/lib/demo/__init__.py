# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demonstration: a film through x264, multicast layers, a receiver and a decoder, and what came of it."""
