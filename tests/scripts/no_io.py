#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the library stays free of input and output: it calls no function that reads a clock, takes a lock, or
reaches outside the process.

Usage: no_io.py LIBRARY
"""
import re
import subprocess
import sys

# The only functions allowed from libc and libm: memory, text, numbers.
ALLOWED = re.compile(r'^(?:mem\w+|str\w+|inet_(?:pton|ntop)|v?snprintf|abs|labs|qsort|bsearch|'
                     r'(?:exp2?|expm1|log|log2|log10|log1p|pow|sqrt|cbrt|fabs|floor|ceil|l?l?round|l?l?rint|nearbyint|'
                     r'trunc|fmod|fmin|fmax|ldexp|frexp|modf|hypot)[fl]?)$')

# ISA-L's arithmetic in GF(2^8), which works on the caller's memory only; ISA-L itself needs only memory functions of
# libc.
ISAL = re.compile(r'^(?:ec_(?:init_tables|encode_data(?:_update)?)|gf_(?:mul|inv|invert_matrix))$')

# Functions of the C runtime and of the instrumentation.
RUNTIME = re.compile(r'^(?:_\w*|stderr|abort)$')

# In GLib only these are out of bounds. g_dgettext() is allowed, because it looks up the texts of errors: it takes no
# clock, thread or socket, and reads a file only after a program has bound a catalogue and chosen a language.
GLIB_FORBIDDEN = re.compile(
    r'^g_(?:get_(?:monotonic|real|current)_time|date_time_new_now|timer_|usleep|random_|rand_(?:new$)|'
    r'mutex_|rec_mutex_|rw_lock_|cond_|thread_|once_|private_|async_queue|static_|bit_lock|pointer_bit_lock|'
    r'main_|source_|timeout_|idle_|io_channel|poll|socket|inet_|resolver|'
    r'file_|dir_open|mkdir|mkstemp|open|creat|fopen|stat|unlink|rename|spawn_|getenv|setenv|get_environ|'
    r'print$|printerr$)')


def undefined_symbols(library):
    listing = subprocess.run(['nm', '-D', '-u', library], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1].split('@')[0] for line in listing.splitlines() if line.strip()]


def needed_libraries(library):
    listing = subprocess.run(['objdump', '-p', library], capture_output=True, text=True, check=True).stdout
    return re.findall(r'NEEDED\s+(\S+)', listing)


def is_allowed(symbol):
    if symbol.startswith('g_') or symbol.startswith('glib_'):
        return not GLIB_FORBIDDEN.match(symbol)
    return bool(ALLOWED.match(symbol) or ISAL.match(symbol) or RUNTIME.match(symbol))


def main():
    library = sys.argv[1]
    symbols = undefined_symbols(library)
    if not any(symbol.startswith('g_') for symbol in symbols):
        print(f'{library}: nm lists no GLib function: the check cannot be right')
        return 1
    faults = [f'{symbol}: the library may not call it' for symbol in symbols if not is_allowed(symbol)]
    faults += [f'{name}: the library may not need it' for name in needed_libraries(library)
               if not re.match(r'(?:libglib-2\.0|libm|libc|libisal|lib(?:a|ub)san|libgcc_s|ld-linux[\w-]*)\.so', name)]
    print('\n'.join(faults) or f'{len(symbols)} undefined symbols: GLib, libc\'s memory and text, libm, ISA-L')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
