"""The errors of the core.

    DPCoreError
    ├── DataError        the file or a column cannot be used
    │   └── ChangedError     the files of a table are not those that were opened
    ├── ParameterError   a public parameter lies outside its domain
    │   └── InPartsError     it is not computed of a table that lies in parts
    ├── ClaimError       a release would make a privacy claim that does not hold
    ├── BudgetExceeded   the privacy filter refuses the release
    └── LedgerError      the ledger cannot be read or written, or refuses
        └── UntrustedLedgerError   what it holds is not what was written

A message names parameters, domains, lines and columns. It never quotes a cell of the
table, so that it may be shown and logged. An error caused by another one whose message
may quote a cell is raised ``from None``.
"""


class DPCoreError(Exception):
    """Base of every error that the core raises on purpose."""


class DataError(DPCoreError):
    """The file or a column cannot be used as asked.

    Attributes:
        line: 1-based line of the file where it went wrong, if known.
        column: 1-based position of the column concerned, if known.

    """

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class ChangedError(DataError):
    """The files of a table in parts are not those that were opened.

    Public, unlike where a cell cannot be used: it hangs on no value.
    """


class ParameterError(DPCoreError):
    """A public parameter lies outside its domain."""


class InPartsError(ParameterError):
    """What is asked for needs a table all of whose rows are in memory."""


class ClaimError(DPCoreError):
    """A release was asked for under a privacy claim that does not hold."""


class BudgetExceeded(DPCoreError):  # noqa: N818 - the field's name for it
    """The release would cost more than what is left of the budget."""


class LedgerError(DPCoreError):
    """The ledger cannot be opened or written, or refuses what is asked of it."""


class UntrustedLedgerError(LedgerError):
    """The ledger, its checkpoint or its key is not as it was left. It pays nothing."""
