"""What a message says about packages that dcsvm can do without."""


def installed_by(*extras: str) -> str:
    """The command that installs them. By the path of a checkout: no index has dcsvm."""
    return f"pip install '.[{','.join(extras)}]' in a checkout of dcsvm"
