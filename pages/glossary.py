"""Glossary: the words of the trade, each said plainly first, then exactly."""

from ui import glossary_links, places

places.begin("glossary", "Look up a term in plain words and in the notation of the field.")
glossary_links.show()
