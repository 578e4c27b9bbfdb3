import shutil, sys
shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer, 65536)
