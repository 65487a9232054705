"""Mechanism lab: why truncating noise breaks the guarantee, and what to use instead."""

from ui import form, mechanism_lab

form.draw("lab", mechanism_lab.STUDY)
