"""Privacy loss: everybody's own privacy loss. Curator only."""

from functools import partial

import streamlit as st

from ui import confidential, controls, layout, places, session
from ui.individual import individual
from ui.individual.subject import SubjectKind

places.begin(
    "privacy_loss", f"See the privacy loss of each {session.unit().noun} from one release."
)
study = session.require_study()
kind = SubjectKind(
    controls.HERE.radio(
        "What is released", [kind.value for kind in SubjectKind], key="what-is-released"
    )
)
asked = individual.ask(kind, study)
study = session.require_study()
relation = individual.ask_change(asked, study)
unit_column = individual.ask_units(asked, study, relation)
st.metric(
    "Worst case over all tables (the guarantee)",
    individual.guarantee(asked),
    help="Public: it depends on bounds and noise alone.",
)
confidential.area(
    "individual",
    "everybody's own privacy loss",
    partial(individual.show, study, asked, relation, unit_column),
)
layout.methods(individual.definitions(kind))
