"""Individual privacy: everybody's own privacy loss. Curator only."""

import streamlit as st

from dpcore.errors import DPCoreError
from dpcore.relations import NeighboringRelation
from ui import confidential, session
from ui.asking import inputs
from ui.individual import exposing, individual, model_exposing
from ui.individual.subject import SubjectKind
from ui.models import modelling
from ui.text import literal

session.require_router("pages/individual.py")
st.title("Individual privacy")
st.markdown(
    "The guarantee covers the worst case. How much would each person in *this* table "
    "really lose?"
)
study = session.require_study()
kind = SubjectKind(
    st.radio(
        "What is released",
        [kind.value for kind in SubjectKind],
        horizontal=True,
        key="what-is-released",
        bind="query-params",
    )
)
is_model = kind is SubjectKind.MODEL
asked = modelling.ask(study) if is_model else inputs.ask(study)
study = session.require_study()
worlds = {
    NeighboringRelation.ADD_REMOVE: "the person had not been there",
    NeighboringRelation.SUBSTITUTION: "the person's record had been another",
}
known = individual.relations(asked)
# Leverage and residual explain what leaving does; another record is a second question.
usual = known[0] if is_model else study.terms.relation
relation = st.radio(
    "What if",
    known,
    index=known.index(usual),
    format_func=worlds.__getitem__,
    horizontal=True,
    key="model-what-if" if is_model else "what-if",
    bind="query-params",
    help="Compared with the table without the person, or with the most revealing "
    "other record.",
)
st.metric(
    "Worst case over all tables (the guarantee)",
    individual.promise(asked),
    help="Public: it depends on bounds and noise alone.",
)
with confidential.area("individual", "everybody's own privacy loss") as shown:
    if shown:
        try:
            individual.views(individual.subject(study, asked, relation), study)
        except DPCoreError as error:
            st.error(literal(str(error)))
with st.expander("What is this?"):
    exposing.definitions()
    if is_model:
        model_exposing.definitions()
