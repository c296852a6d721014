"""Runs a program on a pseudo-terminal and writes what it printed there to stdout, byte for byte.

usage: on_terminal.py COLUMNS PROGRAM [ARG ...]; the exit code is the program's. stdin of the program is the
terminal, and nothing is typed.
"""

import fcntl
import os
import pty
import struct
import sys
import termios

columns = int(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    os.write(1, piece)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
