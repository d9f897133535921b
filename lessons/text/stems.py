"""The stems of English words."""

from functools import lru_cache

import snowballstemmer

# Irregular forms that a stemmer leaves apart: 'kept' must find 'keep'. Each entry is a base with its forms.
_IRREGULAR_FORMS = """
become:became begin:began,begun break:broke,broken bring:brought build:built buy:bought choose:chose,chosen come:came
draw:drew,drawn drive:drove,driven eat:ate,eaten fall:fell,fallen find:found freeze:froze,frozen give:gave,given
go:went,gone grow:grew,grown hear:heard hold:held keep:kept know:knew,known lead:led learn:learnt leave:left lose:lost
make:made mean:meant meet:met pay:paid rise:rose,risen run:ran say:said see:saw,seen sell:sold send:sent show:shown
speak:spoke,spoken spend:spent stand:stood take:took,taken teach:taught tell:told think:thought throw:threw,thrown
understand:understood win:won write:wrote,written man:men woman:women child:children person:people
"""
IRREGULAR = {
    form: entry.partition(":")[0] for entry in _IRREGULAR_FORMS.split() for form in entry.partition(":")[2].split(",")
}


@lru_cache(maxsize=50_000)
def english_stem(word: str) -> str:
    """The Porter stem of a lower-case word, or of its base if its form is irregular.

    A stemmer keeps the word in itself while it works, so threads cannot share one.
    """
    base = IRREGULAR.get(word, word)
    return snowballstemmer.stemmer("porter").stemWord(base) or base
