"""Documents: what is handed out about the releases of an account, or about its plan."""

from ui import places, session
from ui.budget import documents

places.begin(
    "documents", "Choose a document about your releases or your plan, check it, and download it."
)
documents.show(session.require_study())
