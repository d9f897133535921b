"""The generator of the workbook's fictional corpus and golden questions."""
