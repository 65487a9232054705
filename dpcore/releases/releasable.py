"""What everything that can be released has in common: a question with its price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from dpcore.budget import PrivacyCost
    from dpcore.data.dataset import Dataset
    from dpcore.privacy.events import PrivacyEvent
    from dpcore.relations import NeighboringRelation, PrivacyUnit
    from dpcore.releases.plans import Answer
    from dpcore.releases.record import Mode


class Drawing(Protocol):
    """How an answer is drawn, fixed by public numbers."""

    @property
    def noise(self) -> float:
        """Scale of the noise; the largest one where there are several."""
        ...

    @property
    def event(self) -> PrivacyEvent:
        """What the accountant has to know of it."""
        ...

    def answer(self, value: Any, *, cost: PrivacyCost) -> Answer:  # noqa: ANN401 - what the request's ``value`` returns
        """Draw securely from ``value`` (CONFIDENTIAL) and return what is released."""
        ...


class Releasable(Protocol):
    """A question with what shall answer it, and the price. PUBLIC.

    Implementations are frozen dataclasses with a field ``draw``.
    """

    @property
    def draw(self) -> int:
        """The how-manieth answer to this question is asked for, from 1."""
        ...

    @property
    def title(self) -> str:
        """The question in words, such as "mean of age"."""
        ...

    @property
    def statement(self) -> str:
        """Of what the answer is one: the question with what becomes of values."""
        ...

    @property
    def unit_text(self) -> str:
        """The unit of the answer, empty where it has none."""
        ...

    @property
    def units(self) -> dict[str, str]:
        """The unit of each number by name, where they do not share one."""
        ...

    @property
    def relation(self) -> NeighboringRelation:
        """Which tables are neighbors."""
        ...

    @property
    def unit(self) -> PrivacyUnit:
        """Whom the guarantee protects."""
        ...

    @property
    def mechanism_key(self) -> str:
        """Key of the mechanism, for the record."""
        ...

    @property
    def mechanism_label(self) -> str:
        """Name of the mechanism, for people."""
        ...

    @property
    def cost(self) -> PrivacyCost:
        """What the answer costs, rounded up; infinite where nothing is guaranteed."""
        ...

    @property
    def plan(self) -> Drawing:
        """How the answer is drawn."""
        ...

    def refusal(self, mode: Mode) -> str | None:
        """Return why it cannot be released in a mode and what to do; None if it can."""
        ...

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""
        ...

    def analysis(self, fingerprint: str) -> str:
        """Return the name of the analysis of this table, the same for every draw."""
        ...

    def value(self, dataset: Dataset) -> Any:  # noqa: ANN401 - what the plan's ``answer`` takes
        """Return what the answer is drawn from. CONFIDENTIAL.

        Raises:
            DataError: The table cannot be read as it is declared.

        """
        ...
