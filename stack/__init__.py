"""Sets up and runs the whole portal on one machine: what bin/up calls.

Standard library only, and no other module of the project: it runs before the packages are there, and starts at once.
"""
