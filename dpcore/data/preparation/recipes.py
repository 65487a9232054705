"""What is declared about several rows of one person: whose they are, and recipes.

Everything here is public: names of columns and of functions, and nothing that was
computed from a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dpcore.errors import ParameterError


class Recipe(StrEnum):
    """How the values of all rows of one person become one. Missing ones do not count.

    Each looks at the rows of that person alone. So who is replaced, joins or leaves
    changes one row of what is made, and no other.
    """

    MEAN = "mean of"
    SUM = "sum of"
    FIRST = "first"
    LAST = "last"
    MOST_FREQUENT = "most frequent"
    """Of values that are as frequent, the least: the first one in the alphabet."""

    @property
    def calculates(self) -> bool:
        """Return whether it needs numbers, and makes a number that none may have."""
        return self in {Recipe.MEAN, Recipe.SUM}

    @property
    def follows_order(self) -> bool:
        """Return whether the order of the rows of the table matters."""
        return self in {Recipe.FIRST, Recipe.LAST}


class Ownerless(StrEnum):
    """What happens to a row that does not say whose it is."""

    DROP = "left out"
    ALONE = "each a person of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A column of what is made: a recipe, and the name of the column it is of."""

    recipe: Recipe
    column: str


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
            message = "choose the column that says whose row it is."
            raise ParameterError(message)
        if not self.derived and not self.count:
            message = "choose at least one column that is made for each person."
            raise ParameterError(message)
        for chosen in (self.owners, self.derived):
            if len(set(chosen)) < len(chosen):
                message = "a column can be named once for each recipe."
                raise ParameterError(message)

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
        made = [f"{one.recipe} {one.column}" for one in self.derived]
        return tuple(
            f"{what}{self.ending}" for what in [*made, *(["rows"] * self.count)]
        )

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
