# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demonstration: sends a film in multicast layers to several receivers, and measures what they show."""
