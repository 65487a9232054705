"""Mechanism lab: why truncating noise breaks the guarantee, and what to use instead."""

from ui import form, mechanism_lab, session

session.require_router("pages/lab.py")
form.draw(mechanism_lab.STUDY)
