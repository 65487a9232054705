"""Tables in a database, read by a query that cannot write.

SQLAlchemy and drivers are imported only where one is read: a file needs none of it.
"""
