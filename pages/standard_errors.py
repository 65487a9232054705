"""Standard errors: the bootstrap under differential privacy."""

from ui import form
from ui.resampling import standard_errors

form.draw("standard_errors", standard_errors.STUDY)
