"""python -m bench, from the root of a checkout: what dcsvm bench does, with the checkout's code."""

import sys

from dcsvm._command import bench_arguments
from dcsvm._command import cli as cli
from dcsvm._command.parser import Parser

from . import command


def main() -> int:
    parser = Parser(prog="python -m bench", description=bench_arguments.DESCRIPTION, epilog=bench_arguments.EPILOG)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    bench_arguments.add_arguments(parser)
    return cli.guarded(lambda: command.run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
