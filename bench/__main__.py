"""python -m bench, from the root of a checkout."""

import sys

from dcsvm._command import cli as cli
from dcsvm._command.parser import Parser

from . import arguments, command


def main() -> int:
    parser = Parser(prog="python -m bench", description=arguments.DESCRIPTION, epilog=arguments.EPILOG)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    arguments.add_arguments(parser)
    return cli.guarded(lambda: command.run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
