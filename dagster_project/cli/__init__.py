"""The command `suitability`: options, exit codes and what is printed."""
