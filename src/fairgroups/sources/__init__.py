"""Where tables come from: files, folders, databases and data frames of any library."""
