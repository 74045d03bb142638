"""Reports for people: tables, pages and documents made from answers."""
