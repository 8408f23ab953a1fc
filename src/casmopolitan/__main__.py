"""`python -m casmopolitan` is the command `casmopolitan`."""

from casmopolitan.cli import main

if __name__ == "__main__":
    main()
