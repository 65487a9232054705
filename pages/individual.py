"""Individual privacy: everybody's own privacy loss. Curator only."""

import streamlit as st

from dpcore.errors import DPCoreError
from dpcore.figures.wording import epsilon_text
from dpcore.relations import NeighboringRelation
from ui import confidential, exposing, individual, inputs, session
from ui.subject import StatisticSubject
from ui.text import literal

session.require_router("pages/individual.py")
st.title("Individual privacy")
st.markdown(
    "The guarantee covers the worst case. How much would each person in *this* table "
    "really lose?"
)
study = session.require_study()
asked = inputs.ask(study)
removal = "the person had not been there"
replaced = "the person's record had been another"
view = st.radio(
    "What if",
    [removal, replaced],
    index=0 if study.terms.relation is NeighboringRelation.ADD_REMOVE else 1,
    horizontal=True,
    key="what-if",
    bind="query-params",
    help="Compared with the table without the person, or with the most revealing "
    "other record.",
)
relation = (
    NeighboringRelation.ADD_REMOVE
    if view == removal
    else NeighboringRelation.SUBSTITUTION
)
st.metric(
    "Worst case over all tables (the guarantee)",
    f"ε {epsilon_text(asked.real_epsilon)}",
    help="Public: it depends on bounds and noise alone.",
)
with confidential.area("individual", "everybody's own privacy loss") as shown:
    if shown:
        try:
            exposure = exposing.everybody(study, asked, relation)
            subject = StatisticSubject(
                request=asked, exposure=exposure, relation=relation
            )
            individual.views(subject, study)
        except DPCoreError as error:
            st.error(literal(str(error)))
with st.expander("What is this?"):
    exposing.definitions()
