"""What the paper does not have, one file each."""
