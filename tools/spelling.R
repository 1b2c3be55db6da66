# Words that neither the dictionary nor inst/WORDLIST knows; exit status 1 when
# there are any.

found <- spelling::spell_check_package(".")
print(found)
quit(status = as.integer(nrow(found) > 0))
