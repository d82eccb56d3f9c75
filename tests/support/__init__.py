"""What the tests share: how to run commands, programs, hills and browsers, and where the checkout is."""
