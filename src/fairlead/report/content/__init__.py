"""Content of answers, made once as data: sentences and tables, for every renderer."""
