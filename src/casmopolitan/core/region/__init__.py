"""Trust regions: Hamming balls (Eq. 2), boxes, and how their lengths change (Algorithm 1, line 13)."""
