"""Files that are broken, absurd or malicious: each loads or is refused, soon and with a reason.

* `contracts`: texts that are written from a few words, however long they become;
* `outcome`: what becomes of a file, here or in a child with limits on time and memory.
"""
