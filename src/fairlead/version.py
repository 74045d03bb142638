"""The version of fairlead."""

VERSION = "0.1.0"
