"""The fault lab: things that can be broken on purpose, to watch what the workbook does about it."""
