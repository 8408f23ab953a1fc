"""Trust regions: Hamming balls (Eq. 2), boxes, and the lengths that breathe (Algorithm 1, line 13)."""
