"""Standard errors: the bootstrap under differential privacy."""

from ui import form, session
from ui.resampling import standard_errors

session.require_router("pages/standard_errors.py")
form.draw(standard_errors.STUDY)
