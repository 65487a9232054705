"""Figures 1 and 2: how far everybody's own loss lies below the guarantee."""

from ui import form, session, wang2019

session.require_router("pages/figures12.py")
form.draw(wang2019.STUDY)
