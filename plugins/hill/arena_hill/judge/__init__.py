"""The judge, a process that builds and checks what authors submit."""
