"""What answers say, made once as data: sentences and tables, for every renderer."""
