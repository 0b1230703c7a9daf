"""argparse's parser as the commands use it: no abbreviated options, and usage errors of three lines that suggest a spelling."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from .._input.suggestions import did_you_mean, nearest


class Parser(argparse.ArgumentParser):
    """Options are written in full: with abbreviations, a typing error such as ``--gamm`` silently sets an option."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, **kwargs, "allow_abbrev": False})

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's, but the error for an unknown option comes from the sub-command and suggests one that exists."""
        given, unknown = self.parse_known_args(args, namespace)
        command = self._command(getattr(given, "command", None))
        if len(unknown) == 1 and (unknown[0] == "-" or not unknown[0].startswith("-")):
            # argparse gives up an argument that may be missing at the first option: DATA --kernel linear MODEL
            for action in command._actions:
                if action.nargs == "?" and not action.option_strings and getattr(given, action.dest) is None:
                    setattr(given, action.dest, unknown.pop())
                    break
        if unknown:
            options = [word for word in unknown if word.startswith("-")]  # what follows one may be its value
            command.error("; ".join(_unknown(word, command._option_string_actions) for word in options or unknown))
        return given

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse's, which says nothing where it cannot write: a help that nobody got must not look like one."""
        if message and file is not None:
            file.write(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean(str(value), map(str, action.choices or ()))
            raise

    def error(self, message: str) -> NoReturn:
        """Prints the usage in short, the error, and where the options are explained; exits with 2."""
        positionals = [a for a in self._actions if not a.option_strings and a.nargs != 0]
        names = [f"[{a.metavar}]" if a.nargs == "?" else str(a.metavar or a.dest) for a in positionals]
        usage = " ".join(["usage:", self.prog, "[options]", *names])
        self.exit(2, f"{usage}\n{self.prog}: error: {message}\n{self.prog} --help explains the options.\n")

    def _command(self, name: str | None) -> argparse.ArgumentParser:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction) and name in action.choices:
                chosen: argparse.ArgumentParser = action.choices[name]
                return chosen
        return self


def _unknown(word: str, options: dict[str, Any]) -> str:
    if not word.startswith("-"):
        return f"unexpected argument {word!r}"
    if word in options:
        return f"{word} stands behind the command"
    known = {action.dest: option for option, action in options.items()}  # also by the names of the arguments in Python
    known |= {option.lstrip("-").replace("-", "_"): option for option in options}
    meant = nearest(word.partition("=")[0].lstrip("-").replace("-", "_"), known)
    return f"there is no option {word}" + (f" (did you mean {known[meant]}?)" if meant else "")
