"""The functional core: arrays and frozen records in, arrays and frozen records out. No I/O, no clock, no globals."""
