"""Names that look like protected attributes, in several languages. They are marked; nothing is decided by a name."""

from __future__ import annotations

import itertools
import re
import unicodedata

__all__ = ["looks_protected"]

# What laws of many countries protect, and how columns that hold it begin: English, German, French, Spanish, Italian,
# Portuguese, Dutch, Polish and the Nordic languages, without accents. A star stands for any further letters.
NAMES = {
    "age": "age ages aged birth* dob yob geburt* alter altersgruppe lebensalter naissance ddn edad nacimiento "
    "nascita idade nascimento leeftijd geboorte* wiek urodz* alder fodsel* fodelse* ika",
    "sex": "sex gender female male woman women man men geschlecht* weiblich maennlich mannlich frau sexe genre femme "
    "homme sexo genero mujer hombre sesso donna uomo mulher homem geslacht vrouw plec kobieta kon kjonn kvinna kvinne",
    "race or ethnicity": "race* racial black white hispanic latino latina asian ethnic* ethnie ethnique rasse herkunft "
    "etnia etnico raza raca razza etnicit* afkomst rasa",
    "colour of the skin": "skin tone skintone fitzpatrick complexion haut hautfarbe hautton peau piel pelle pele huid "
    "hudfarge hudfarg monk",
    "nationality": "nationality nationalit* citizen* immigra* migra* foreign* native country staatsangehorig* "
    "auslander* nacionalidad cittadinanza nacionalidade nationaliteit obywatel* medborgar* "
    "statsborger* nationalorigin countryoforigin",
    "religion": "religio* faith church confession konfession glaube relig* culte geloof wyznanie",
    "disability": "disab* handicap* impair* behinder* schwerbehindert* invalidit* discapacidad disabilita deficien* "
    "niepelnospraw* funktion* veteran",
    "sexual orientation": "orientation lgbt* gay lesbian homosexual* orientierung",
    "family": "marital married marriage spouse pregnan* children kids dependents family famil* familienstand "
    "verheiratet kinder schwanger* etat_civil "
    "matrimon* conjoint enfants hijos estado_civil coniug* figli casado filhos "
    "burgerlijk* gezin kinderen malzen* dzieci sivilstand civilstand relationship",
    "place of living": "postcode postal zip zipcode plz postleitzahl codepostal neighbourhood neighborhood "
    "district borough county wohnort ortsteil bairro barrio quartier wijk kod_pocztowy postnummer",
    "language": "language mothertongue muttersprache sprache langue lengua idioma lingua taal jezyk sprak",
    "social origin": "caste socialclass socialorigin mother* father* socioeconomic ses",
    "genetic or health": "genetic* health* illness hiv gesundheit* sante salud salute saude gezondheid zdrowie",
}

BIRTH = {"birth", "geburt", "geburts", "naissance", "nacimiento", "nascita", "nascimento"}
PLACES = ("country", "place", "land", "ort", "lieu", "pays", "pais", "lugar", "luogo", "paese")


def _pattern(words: str) -> re.Pattern[str]:
    each = [re.escape(word.replace("_", "")).replace(r"\*", "[a-z]*") for word in words.split()]
    return re.compile(f"(?:{'|'.join(each)})")


_PATTERNS = {what: _pattern(words) for what, words in NAMES.items()}


def looks_protected(name: str) -> str | None:
    """Say which protected attribute a column's name sounds like; None if none.

    Examples
    --------
    >>> from fairgroups.scans.protected import looks_protected
    >>> looks_protected("DateOfBirth"), looks_protected("Geschlecht"), looks_protected("page_views")
    ('age', 'sex', None)
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ł", "l").replace("ø", "o"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain).lower())
    if BIRTH & set(words) and any(word.startswith(PLACES) for word in words):
        return "nationality"
    candidates = [*words, *("".join(pair) for pair in itertools.pairwise(words))]
    for what, pattern in _PATTERNS.items():
        if any(pattern.fullmatch(word) for word in candidates):
            return what
    return None
