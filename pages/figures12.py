"""Figures 1 and 2: how far everybody's own loss lies below the guarantee."""

from ui import form, wang2019

form.draw("figures12", wang2019.STUDY)
