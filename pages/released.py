"""Released results: what the ledger holds of all accounts, without a table."""

from ui import places
from ui.budget import history

places.begin("released", "Everything that was released from this ledger, by account.")
history.of_all_accounts()
