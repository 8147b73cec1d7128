# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What papers say of simulations, and how to run these: one module for each paper."""
