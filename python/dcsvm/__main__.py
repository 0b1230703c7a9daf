import sys

from ._patch.run import is_program, run_program

if __name__ == "__main__":
    if is_program(sys.argv[1:]):
        run_program(sys.argv[1:])
    else:
        from ._command.cli import main

        raise SystemExit(main())
