"""Run the command by ``python -m epsilon_studio``, also without an installation."""

import sys

from epsilon_studio.command import main

sys.exit(main())
