import os

while True:
    block = os.read(0, 65536)
    if not block:
        break
    while block:
        block = block[os.write(1, block):]
