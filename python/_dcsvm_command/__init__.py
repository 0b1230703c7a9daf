"""The program dcsvm begins here, outside the package, because importing the package takes a few tenths of a second."""

from __future__ import annotations

import signal
import sys


def easy() -> int:
    """svm-easy, the name of LIBSVM's easy.py where its tools are installed: dcsvm easy."""
    return main(["easy", *sys.argv[1:]])


def grid() -> int:
    """svm-grid, the same of grid.py: dcsvm grid."""
    return main(["grid", *sys.argv[1:]])


def main(argv: list[str] | None = None) -> int:
    """Loads and runs the command. Ctrl-C while it loads ends the process as it ends any program, without a traceback."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # a shell may have it ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from dcsvm._command.cli import main as command

    signal.signal(signal.SIGINT, handler)
    return command(argv)
