"""Everything between the pages and the core that knows Streamlit."""
