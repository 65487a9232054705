"""Result values in, Plotly figures out; aggregates only."""
