"""What people see: tables and documents made from outcomes."""
