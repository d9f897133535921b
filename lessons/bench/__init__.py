"""The bench room: how long the workbook's steps take, against the least that each of them could take."""
