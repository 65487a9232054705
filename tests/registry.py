"""The views of the app, as its registry names them."""

from ui.places import PLACES, VIEWS, place_of, section_of

NAMES = {script: view.link for script, view in VIEWS.items()}
"""What the link of each view says, by its script."""
HEADINGS = {script: view.title for script, view in VIEWS.items()}
"""The title above each view."""
IN = {script: place_of(script).name for script in VIEWS}
"""The place of each view."""
FIRST = {place.name: place.views[0].script for place in PLACES}
"""The view that each place opens on."""
SECTIONS = {script: section_of(script).views[0].script for script in VIEWS}
"""The view that the section of each view opens on."""
EARLIER = {path: script for script, view in VIEWS.items() for path in view.earlier}
"""Where the links of earlier versions lead."""
WITHOUT_A_TABLE = {script for script, view in VIEWS.items() if not view.reads_table}
"""Views that never read the table in use."""
ABOUT_A_TABLE = [script for script in VIEWS if script not in WITHOUT_A_TABLE]
"""All others, in their order."""
