"""The kernel's interfaces: filters of system calls, control groups, users."""
