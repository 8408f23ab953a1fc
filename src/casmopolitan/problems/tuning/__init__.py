"""Tuning real models: XGBoost and support vector regression."""
