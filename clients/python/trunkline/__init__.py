"""Client of Trunkline, a self-hosted messaging gateway. Needs only the standard library."""

from . import generated as types
from ._http import TrunklineError
from .generated import Operations as _Operations
from .webhook import is_genuine

__all__ = ["Client", "TrunklineError", "is_genuine", "types"]


class Client(_Operations):
    """
    A method for every operation of the interface. Methods raise `TrunklineError` for what the service refuses, and
    `OSError` when no answer came.
    """
