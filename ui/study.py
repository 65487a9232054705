"""A table, from the file that was sent to its use, with what was declared about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpcore.analyses.base import Question
from dpcore.analyses.identity import analysis_id
from dpcore.data.columns import Column, MissingPolicy, fewest_values
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import FileFormat
from dpcore.data.partitions.table import PartitionedDataset, Table, in_memory
from dpcore.models.question import ModelQuestion
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.declarations import Declaration
from dpcore.releases.declared import renamed
from dpcore.releases.record import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was sent and is not in use yet. CONFIDENTIAL.

    Its format is how it was read, or is to be; ``None`` where that is to be proposed,
    of a workbook for the ``sheet`` of its ``sheets``. ``suggested`` is what the file
    itself suggests.
    """

    name: str
    data: bytes = field(repr=False)
    file_format: FileFormat | None = None
    suggested: FileFormat | None = None
    sheets: tuple[str, ...] = ()
    sheet: str | None = None

    @property
    def size(self) -> str:
        """Return how much it holds, in words."""
        kilobytes = len(self.data) / 1000
        return (
            f"{kilobytes:,.1f} kB"
            if kilobytes < 1000  # noqa: PLR2004 - kilobytes in a megabyte
            else f"{kilobytes / 1000:,.1f} MB"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What was declared before about this table, or one with the same columns."""

    declaration: Declaration
    same_table: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTerms:
    """Public terms under which a table is used.

    Attributes:
        relation: Which tables count as neighbors.
        unit: The privacy unit, with the name of the rows.
        budget: What all releases together may cost.
        minimum_people: Stands in for the number of people where that is private.
        everybody: Whether the table holds everybody whom questions are about, such as a
            complete workforce; otherwise it is a random sample of them.

    """

    relation: NeighboringRelation
    unit: PrivacyUnit
    budget: PrivacyBudget
    minimum_people: int
    everybody: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The fingerprint of a table, and the key that it was taken with. CONFIDENTIAL."""

    fingerprint: str
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A table that was read and is not in use yet. CONFIDENTIAL.

    ``earlier`` can be taken over; where it was, the columns are ``declared``. The
    controls begin with ``start``.
    ``before`` is what was declared of a file with the same columns after steps, which
    can be taken again.
    ``missing`` holds, by column, which missing codes its file declares.
    ``notes`` are what the curator should know of the file, a sentence each.
    ``file_format`` is how it was read; ``reused`` whether that was declared before.
    ``taken`` is the fingerprint, once that of a table in parts was taken.
    """

    dataset: Table
    example: str | None
    earlier: Earlier | None = None
    declared: bool = False
    start: AccountTerms | None = None
    before: Declaration | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    file_format: FileFormat | None = None
    reused: bool = False
    taken: Taken | None = None

    @property
    def in_memory(self) -> Dataset:
        """Return the table, all of whose rows are in memory. CONFIDENTIAL.

        Raises:
            InPartsError: It lies in parts; says that this is not computed of it.

        """
        return in_memory(self.dataset, "this")


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The table in use and the public facts declared about it.

    Attributes:
        dataset: CONFIDENTIAL.
        fingerprint: Keyed fingerprint of the table: the name of its ledger account.
        key: CONFIDENTIAL. The key of the fingerprint.
        terms: Whom the study protects against what, and what it may cost.
        example: Key of the built-in example, or ``None`` for an upload.
        file_format: How the file was read; ``None`` where it was no file.

    """

    dataset: Table
    fingerprint: str
    key: bytes = field(repr=False)
    terms: AccountTerms
    example: str | None
    file_format: FileFormat | None = None

    @property
    def in_memory(self) -> Dataset:
        """Return the table, all of whose rows are in memory. CONFIDENTIAL.

        Raises:
            InPartsError: It lies in parts; says that this is not computed of it.

        """
        return in_memory(self.dataset, "this")

    @property
    def parts(self) -> PartitionedDataset | None:
        """Return the table, if it stays in its files. CONFIDENTIAL."""
        table = self.dataset
        return table if isinstance(table, PartitionedDataset) else None

    @property
    def sampled(self) -> bool:
        """Return whether answers have a sampling error: the table is a sample.

        Not where several rows of a person count: which rows there are of whom is no
        simple random sample, and answers are about this table alone.
        """
        return not self.terms.everybody and not self.terms.unit.several

    @property
    def public_number(self) -> bool:
        """Return whether the number of rows of the table is public."""
        return self.terms.unit.keeps_number(self.terms.relation)

    def renamed(self, release: Release) -> Release:
        """Return a release in which the rows have the name that they have now."""
        return renamed(release, self.dataset, self.terms.unit)

    def about(self, question: Question | ModelQuestion) -> str:
        """Return the name of a question to this table, whatever its answer costs."""
        return analysis_id(self.fingerprint, question.parameters())

    def size(self, *columns: Column) -> TableSize:
        """Return what is public about the number of people behind ``columns``.

        The number is public where nobody can join, leave or be dropped, nor own more
        rows or fewer.
        """
        if self.public_number and all(c.missing is MissingPolicy.REPLACE for c in columns):
            return TableSize(people=self.dataset.people, public=True)
        return TableSize(people=fewest_values(columns, self.terms.minimum_people), public=False)
