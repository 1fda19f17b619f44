# SPDX-License-Identifier: Apache-2.0
"""The report: one HTML file, plots as inline SVG, no script, nothing fetched. A part's report.toml says what it shows.

lookup   the figures of a plot, and the plot in words
page     the whole page, from raw measurements
table    a figure's numbers, for the page and for a terminal
limits   how large n may grow before a figure has doubled
compare  plots of contestants side by side
scaling  plots of each contestant's course over n
scale    from values to places on a plot, and round numbers for its axes
labels   labels that don't cover each other
svg      elements of a plot
units    figures as people read them
style    colours and layout (style.css)
"""
