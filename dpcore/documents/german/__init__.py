"""The papers that are signed and hung up, in German.

Each is a page of its own, beside the English one with the same parts in the same order:
sentences of one language are no translation of those of another, word by word. What all
of them say of questions, guarantees and numbers stands in ``sentences`` and
``questions``, how numbers are written in ``numbers``.
"""
