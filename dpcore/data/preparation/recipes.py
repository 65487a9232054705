"""What is declared about several rows of one person: whose they are, and recipes.

Everything here is public: names of columns and of functions, and nothing that was
computed from a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dpcore.data.columns import ColumnKind
from dpcore.data.preparation.conditions import Condition
from dpcore.errors import ParameterError


class Recipe(StrEnum):
    """How the values of all rows of one person become one. Missing ones do not count.

    Each looks at the rows of that person alone. So who is replaced, joins or leaves
    changes one row of what is made, and no other.
    """

    MEAN = "mean of"
    SUM = "sum of"
    MAXIMUM = "maximum of"
    MINIMUM = "minimum of"
    EARLIEST = "earliest"
    LATEST = "latest"
    FIRST = "first"
    LAST = "last"
    MOST_FREQUENT = "most frequent"
    """Of values that are as frequent, the least: the first one in the alphabet."""
    ANY = "any"
    """Whether some row meets a condition: "ever positive"."""
    DISTINCT = "distinct values of"
    """How many different values there are; 0 where all are missing."""

    @property
    def calculates(self) -> bool:
        """Return whether it makes a number that none of the rows may have."""
        return self in {Recipe.MEAN, Recipe.SUM}

    @property
    def picks(self) -> bool:
        """Return whether it takes the value of one of the rows."""
        return not self.calculates and self not in {Recipe.ANY, Recipe.DISTINCT}

    @property
    def follows_order(self) -> bool:
        """Return whether the order of the rows of the table matters."""
        return self in {Recipe.FIRST, Recipe.LAST}

    def suits(self, kind: ColumnKind) -> bool:
        """Return whether it can be made of columns of a kind.

        >>> Recipe.MEAN.suits(ColumnKind.YES_NO), Recipe.SUM.suits(ColumnKind.DATE)
        (True, False)
        """
        numbers = {ColumnKind.NUMBER, ColumnKind.WHOLE}
        match self:
            case Recipe.MEAN | Recipe.SUM:
                return kind in numbers | {ColumnKind.YES_NO}
            case Recipe.MAXIMUM | Recipe.MINIMUM:
                return kind in numbers
            case Recipe.EARLIEST | Recipe.LATEST:
                return kind is ColumnKind.DATE
            case Recipe.ANY:
                return kind.is_numeric or kind.has_labels
            case _:
                return True


class Ownerless(StrEnum):
    """What happens to a row that does not say whose it is."""

    DROP = "left out"
    ALONE = "each a person of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A column of what is made: a recipe, and the name of the column it is of.

    Attributes:
        recipe: How the values of a person become one.
        column: Of which column they are.
        condition: What some row has to meet, of ``Recipe.ANY`` only: one about the same
            column.

    Raises:
        ParameterError: The condition is missing, not needed, or about another column.

    """

    recipe: Recipe
    column: str
    condition: Condition | None = None

    def __post_init__(self) -> None:
        if (self.condition is not None) is not (self.recipe is Recipe.ANY):
            raise ParameterError(
                "“any” needs a condition on the rows, and no other recipe has one."
            )
        if self.condition is not None and self.condition.column != self.column:
            raise ParameterError("the condition must be about the column that “any” is made of.")

    @property
    def text(self) -> str:
        """Return the recipe in words, different from those of any other.

        >>> Derived(recipe=Recipe.MEAN, column="stay").text
        'mean of stay'
        """
        what = self.column if self.condition is None else self.condition.text
        return f"{self.recipe} {what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """How one row a person is made. PUBLIC, and chosen without a look at the table.

    Attributes:
        owners: Names of the columns that together say whose row it is, at least one.
        derived: The columns that are made, in this order.
        count: Whether the last column is the number of rows of the person.
        ownerless: What happens to rows in which one of the owners is missing.

    Raises:
        ParameterError: No owner, nothing to make, or something named twice.

    """

    owners: tuple[str, ...]
    derived: tuple[Derived, ...] = ()
    count: bool = True
    ownerless: Ownerless = Ownerless.DROP

    def __post_init__(self) -> None:
        if not self.owners:
            raise ParameterError("choose the column that says whose row it is.")
        if not self.derived and not self.count:
            raise ParameterError("choose at least one column that is made for each person.")
        for chosen in (self.owners, self.derived):
            if len(set(chosen)) < len(chosen):
                raise ParameterError("a column can be named once for each recipe.")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns made.

        They say the whole recipe, and no two recipes with the same owners have a name
        in common. So a question about such a column, the record of its answer and every
        paper about it state how the column was made.

        >>> stay = Derived(recipe=Recipe.MEAN, column="stay")
        >>> Preparation(owners=("patient",), derived=(stay,)).names
        ('mean of stay per patient', 'rows per patient')
        """
        made = [one.text for one in self.derived]
        return tuple(f"{what}{self.ending}" for what in [*made, *(["rows"] * self.count)])

    @property
    def ending(self) -> str:
        """Return what all names end with: whose rows were put together."""
        alone = self.ownerless is Ownerless.ALONE
        return f" per {' and '.join(self.owners)}" + alone * " or row without one"

    def describe(self) -> str:
        """Return whose rows are put together, and what becomes of the others.

        >>> Preparation(owners=("patient",)).describe()
        'one row for each patient; rows without one are left out'
        """
        owners = " and ".join(self.owners)
        left = "left out" if self.ownerless is Ownerless.DROP else "people of their own"
        return f"one row for each {owners}; rows without one are {left}"
