"""Audits: drawing a release in two worlds, and counting what tells them apart."""
