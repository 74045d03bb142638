"""``python -m fairlead``."""

import sys

from fairlead.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
