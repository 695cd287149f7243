"""Proof on known truths: recovery, calibration, other models, and their assets."""
