"""python -m bench, from the root of a checkout: what dcsvm bench does, with the checkout's code."""

import argparse
import sys

from dcsvm._command import bench_arguments
from dcsvm._command import cli as cli

from . import command


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m bench",
        description=bench_arguments.DESCRIPTION,
        epilog=bench_arguments.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    bench_arguments.add_arguments(parser)
    return cli.guarded(lambda: command.run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
