"""Lessons: choosing one, its steps, the projector view, links and handouts."""
