"""Function words of four languages, and which language a text is likely to be in.

Function words tell the languages apart, and are what a question can do without. Negations are not among
them: "does not eat meat" must not become "eats meat".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

__all__ = ["FUNCTION_WORDS", "LATIN", "PRONOUNS", "likely_languages"]

LATIN = ("english", "spanish", "portuguese")

_PRONOUNS = """
i me my you your he him his she her it its we us our they them their
я меня мне мой моя мое мои ты тебя тебе твой твоя он его ему она ее ей мы нас нам наш вы вас вам ваш они их им
yo me mi mí tú te tu él ella le su nos nuestro nuestra ellos ellas les
eu meu minha você teu seu sua ele ela lhe nós nosso nossa eles elas dele dela
"""
PRONOUNS = frozenset(_PRONOUNS.split())
"""Function words that say who does what to whom."""

_ENGLISH = """
a about above after again against all also am an and any are as at be because been before being below between both
but by can could did do does doing down during each few for from further had has have having he her here hers herself
him himself his how i if in into is it its itself just me might more most must my myself of off on once only or other
ought our ours ourselves out over own same shall she should so some such than that the their theirs them themselves
then there these they this those through to too under until up upon us very was we were what whatever when where
whether which while who whoever whom whose why will with would you your yours yourself yourselves
please tell show remind thanks let know
i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll he'll
she'll we'll they'll what's who's where's when's how's why's that's there's here's let's whats wheres hows
"""
_SPANISH = """
a al algo algunas algunos ante antes aquel aquella aquellas aquello aquellos aquí así aun aunque cada como con cual
cuales cualquier cuando cuanto cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde donde dónde durante
e el ella ellas ello ellos en entre era eran eras eres es esa esas ese eso esos esta estaba estaban estamos
estar estas este esto estos estoy está están fue fueron fui ha haber había habían han has hasta hay he hemos la las le
les lo los me mi mis mucho muchos muy más mí mía mío nos nosotros o os otra otras otro otros para pero poco por porque
que quien quienes quién quiénes qué se sea ser si sido siendo sobre sois somos son soy su sus suya suyo sí también
tanto te tenemos tener tengo tiene tienen todo todos tu tus tuya tuyo tú un una unas uno unos usted ustedes va vosotros
y ya yo él éramos
favor gracias dime dígame decir
"""
_PORTUGUESE = """
a ao aos aquela aquelas aquele aqueles aquilo as até com como cada da das de dela delas dele deles depois do dos e ela
elas ele eles em entre era eram essa essas esse esses esta estamos estas estava estavam este estes estou está estão eu
foi foram fui há isso isto já lhe lhes mais mas me mesmo meu meus minha minhas muito muitos na nas no nos nossa nossas
nosso nossos num numa nuns numas o onde os ou para pela pelas pelo pelos por porque porquê pois qual quais qualquer
quando quanto quanta quantas quantos que quem quê se seja ser será seu seus sobre sou sua suas são só também te tem
tenho temos ter tinha teu teus tu tua tuas tudo têm um uma umas uns vai você vocês vos à às é
favor obrigado obrigada diga dizer
"""
_RUSSIAN = """
а без бы был была были было быть в вам вами вас ваш ваша ваше ваши весь во вот все всего всей всем всех всю вся вы где
да даже для до его ее ей ему если есть еще ею же за зачем и из или им ими их к как какая какие каким каких какого какое
какой каком какую когда которая которого которое которой котором которую которые который которым которых кто куда ли
либо меня мне мной мною мог могла могли может мой моего моей моем моему моя мое мои моих мою мы на над нам нами нас наш
наша наше наши него нее ней нем нему ним ними них но ну о об обо он она они оно от откуда очень по под почему при про с
сам сама сами само сколько со себе себя собой так такая такие такое такой там тебе тебя тем теми тех то тобой того тоже
той только том тому ту тут ты у уже чего чей чем чему что чтобы чье чьи чья эта эти этим этих это этого этой этом этому
эту этот я
пожалуйста скажи скажите подскажи подскажите напомни напомните расскажи расскажите спасибо
"""

# Words that one language throws away and another negates with stay ("no" is also Portuguese "in the").
_NEGATIONS = frozenset(
    [
        "no",
        "not",
        "nor",
        "never",
        "without",
        "не",
        "нет",
        "ни",
        "нельзя",
        "ни",
        "без",
        "sin",
        "ni",
        "nunca",
        "não",
        "nem",
        "sem",
        "jamais",
    ]
)

FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        language: frozenset(words.split()) - _NEGATIONS
        for language, words in zip((*LATIN, "russian"), (_ENGLISH, _SPANISH, _PORTUGUESE, _RUSSIAN), strict=True)
    }
)
"""Language → its function words, folded as the scanner folds (ё is е)."""

_LETTERS = {"spanish": frozenset("ñ"), "portuguese": frozenset("ãõçêôâà")}
# Marks of one language alone count as much as this many function words.
_LETTER_EVIDENCE = 2.0
# A language within this share of the best one's evidence is not ruled out.
_PLAUSIBLE = 0.7


def likely_languages(words: Iterable[str]) -> tuple[str, ...]:
    """Those of English, Spanish and Portuguese that a text of these folded words may be in, all when nothing tells.

    A function word of several languages counts for each of them.
    """
    evidence = dict.fromkeys(LATIN, 0.0)
    for word in words:
        for language in _SPEAKERS.get(word, ()):
            evidence[language] += 1
        if not word.isascii():
            for language, letters in _LETTERS.items():
                if not letters.isdisjoint(word):
                    evidence[language] += _LETTER_EVIDENCE
    best = max(evidence.values())
    return tuple(language for language in LATIN if evidence[language] >= _PLAUSIBLE * best)


_SPEAKERS = {
    word: tuple(language for language in LATIN if word in FUNCTION_WORDS[language])
    for words in (FUNCTION_WORDS[language] for language in LATIN)
    for word in words
}
