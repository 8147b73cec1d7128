# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the measurements of repair-table for the plots."""
import csv
import os
import subprocess
import tempfile
from collections import defaultdict


def read(program, seconds, what, key):
    """Runs `program` so that it writes the rows `what`; returns {value of the column `key`: [row, ...]}."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'rows.csv')
        subprocess.run([program, '--seconds', str(seconds), f'--{what}', path], check=True)
        with open(path, encoding='ascii', newline='') as file:
            rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    series = defaultdict(list)
    for row in rows:
        series[row[key]].append(row)
    return series
