"""Simulation studies as functions of editable settings."""
