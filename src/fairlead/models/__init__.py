"""Problems, rules, placements and answers: pure data and pure functions; knows no solver."""
