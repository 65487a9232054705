"""A synthetic table from released counts: public in, public out, and nothing to pay.

``released_counts`` reads released histograms and cross tables, ``forest`` chooses those
that one table can keep all at once, ``fitting`` moves their noisy counts to the nearest
ones that could be those of a table and makes whole people of them, and ``rows`` deals
the people out. What no released count says is invented, and said to be.
"""
