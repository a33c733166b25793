"""The log of configuration changes.

`record` (in `chain`) appends one event in the transaction of the change; `diff` shows a change field by field.
"""
