"""Contracts with random damage.

* `seeds`: the contracts before the damage, with every word that they can hold;
* `values`: what is put into them;
* `damage`: the changes, random and repeatable.
"""
