from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.analyzer import analyze_question, lexemes
from ricordo.characters import fold
from ricordo.stems import LEMMA, STEM, lemmas

TOKENS = {
    # keys, numbers, addresses
    "sk-proj-abc123": "sk-proj-abc123 sk proj abc123",
    "AWS_KEY=AKIA4EXAMPLE": "aws_key=akia4example aws_key akia4example aws key",
    "550E8400-e29b-41d4-a716-446655440000": (
        "550e8400-e29b-41d4-a716-446655440000 550e8400 e29b 41d4 a716 446655440000"
    ),
    "192.168.1.10": "192.168.1.10",
    "192.168.1.10:8080": "192.168.1.10:8080 192.168.1.10 8080",
    "10.0.0.0/8": "10.0.0.0/8 10.0.0.0 8",
    "2001:db8::/32": "2001:db8::/32 2001:db8 32 2001 db8",
    "::1": "::1 1",
    "e83c5163316f89bf": "e83c5163316f89bf",
    "ABC-1234": "abc-1234 abc 1234",
    "№12345": "12345",
    "+79991234567": "+79991234567 79991234567 9991234567",
    "v1.2.3-rc1": "v1.2.3-rc1 v1.2.3 rc1 1.2.3",
    # paths, addresses of the web
    "/etc/nginx/nginx.conf": "/etc/nginx/nginx.conf etc nginx nginx.conf conf",
    "~/notes/keys.md": "~/notes/keys.md notes keys.md keys md",
    "C:\\Users\\Mira\\notes.txt": "c:\\users\\mira\\notes.txt c users mira notes.txt notes txt",
    "src/ricordo/": "src/ricordo src ricordo",
    "mira.k@mail.example.org": ("mira.k@mail.example.org mira.k mail.example.org mira k mail example org"),
    "https://example.org/a1/b2?id=7": (
        "https://example.org/a1/b2?id=7 https://example.org/a1/b2 id 7 https example.org/a1/b2 "
        "example.org a1 b2 example org"
    ),
    # code
    "snake_case": "snake_case snake case",
    "camelCase": "camelcase camel case",
    "getHTTPResponse": "gethttpresponse get http response",
    "__init__": "__init__ init",
    "C++": "c++ c",
    "C#": "c# c",
    ".NET": ".net net",
    ".env": ".env env",
    "node.js": "node.js node js",
    "--dry-run": "--dry-run dry run",
    # words, amounts, dates
    "#тег": "#тег тег",
    "@mira_k": "@mira_k mira_k mira k",
    "2024-05-03": "2024-05-03 2024 05 03",
    "14:30": "14:30 14 30",
    "$1,299.99": "$1,299.99 1,299.99",
    "20€": "20€ 20",
    "-41": "-41 41",
    "6½": "6 1/2 1 2",
    "don't": "don't",
    "o’brien": "o'brien o brien",
    "кое-что": "кое-что кое что",
    "ЁЖ": "еж",
    "Straße": "strasse",
    "ﬁne": "fine",
    "cafe\u0301": "café",
    "co\u00adoperate": "cooperate",
    # other scripts, pictures
    "東京タワー": "東京 東 京 京タ タ タワ ワ ワー ー",
    "東京v2": "東京 東 京 v2",
    "हिन्दी": "हिन्दी",
    "مرحبا": "مرحبا",
    "👍🏽": "👍🏽 👍",
    "👨\u200d👩\u200d👧": "👨👩👧",
    "❤\ufe0f": "❤",
    "🇪🇸🇮🇹": "🇪🇸 🇮🇹",
    "done✅": "done ✅",
}


def as_they_stand(text: str) -> list[str]:
    return [lexeme for lexeme in lexemes(text) if lexeme[0] not in STEM + LEMMA]


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_kept_whole_with_its_parts(token: str) -> None:
    assert as_they_stand(token) == TOKENS[token].split()


@pytest.mark.parametrize("token", ["sk-proj-abc123", "C++", ".NET", ".env", "--dry-run", "~/notes", "word", "ключ"])
@pytest.mark.parametrize(
    "sentence", ["{}.", "({})", "«{}»", "“{}”,", '"{}":', "'{}'!", "is it {}?", "ключ: {}…", "`{}`", "**{}**", "¿{}?"]
)
def test_the_punctuation_of_sentences_is_not_part_of_a_token(token: str, sentence: str) -> None:
    assert as_they_stand(token)[0] in as_they_stand(sentence.format(token))


@pytest.mark.parametrize("written", ["+7 (999) 123-45-67", "8 999 123 45 67", "+7 999 123-45-67", "89991234567"])
def test_a_phone_number_is_found_however_it_is_written(written: str) -> None:
    assert "9991234567" in lexemes(f"Позвонить: {written}, после обеда")
    assert "9991234567" in analyze_question(f"чей это номер {written}?").weights


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("running tests in the garden", "≈run"),
        ("las informaciones de los vecinos", "≈inform"),
        ("as configurações do computador", "≈configur"),
        ("переехала", "≈перееха"),
        ("обновить deployments", "≈deploy"),
        ("user_settings", "≈set"),
    ],
)
def test_words_give_their_stems_marked(text: str, stem: str) -> None:
    assert stem in lexemes(text)


def test_russian_words_give_their_lemmas_as_well() -> None:
    pytest.importorskip("pymorphy3", reason="lemmas need the extra ricordo[russian]")
    assert lemmas("людей") == ("≋человек",)
    assert "≋идти" in lexemes("шёл")


def test_a_question_without_lemmas_still_finds_by_stems() -> None:
    asked = analyze_question("книгами").weights
    without = {lexeme for lexeme in lexemes("книга") if not lexeme.startswith(LEMMA)}
    assert without & asked.keys() == {"≈книг"}


@pytest.mark.parametrize(
    ("question", "gone", "kept"),
    [
        ("What does Mira not eat?", {"what", "does"}, {"mira", "not", "eat"}),
        ("Где мои ключи? Не знаю", {"где", "мои"}, {"ключи", "не"}),
        ("¿Dónde están las llaves sin etiqueta?", {"dónde", "están", "las"}, {"llaves", "sin", "etiqueta"}),
        ("Onde você não deixou as chaves?", {"onde", "você", "as"}, {"não", "deixou", "chaves"}),
        ("Подскажите, пожалуйста, где скрипт deploy.sh", {"подскажите", "пожалуйста", "где"}, {"deploy.sh"}),
        ("Where does my son live?", {"where", "my"}, {"son", "live"}),
    ],
)
def test_questions_drop_function_words_and_keep_negations(question: str, gone: set[str], kept: set[str]) -> None:
    weights = analyze_question(question).weights
    assert kept <= weights.keys()
    assert not gone & weights.keys()


@pytest.mark.parametrize("question", ["who is who", "что это?", "qué es esto", "o que é isso?", "THE WHO"])
def test_a_question_of_function_words_alone_keeps_them(question: str) -> None:
    assert set(analyze_question(question).weights) >= {fold(word.strip("?")) for word in question.split()}


def test_documents_keep_function_words_and_repetitions() -> None:
    assert as_they_stand("the key to the door") == ["the", "key", "to", "the", "door"]


def test_the_form_that_was_asked_for_outweighs_its_other_forms() -> None:
    for question, other in (("running", "runs"), ("ключами", "ключ"), ("llaves", "llave"), ("chaves", "chave")):
        weights = analyze_question(question).weights
        exact, inflected = (sum(weights.get(lexeme, 0) for lexeme in set(lexemes(form))) for form in (question, other))
        assert exact > inflected > 0


@pytest.mark.parametrize(
    ("document", "question"),
    [
        ("la canción del verano", "cancion"),
        ("a configuração do roteador", "configuracao"),
        ("la cancion del verano", "¿cuál es la canción?"),
        ("reunión presupuesto", "reuniones"),
        ("las llaves", "llave"),
    ],
)
def test_accents_and_misjudged_languages_lose_no_match(document: str, question: str) -> None:
    assert set(lexemes(document)) & analyze_question(question).weights.keys()


def test_an_identifier_outweighs_its_parts() -> None:
    terms = analyze_question("для чего sk-proj-abc123?")
    assert terms.identifiers == {"sk-proj-abc123"}
    assert terms.weights["sk-proj-abc123"] > 2 * max(terms.weights[part] for part in ("sk", "proj", "abc123"))


@pytest.mark.parametrize("text", ["", " ", "...", "?!", "—", "\u200b", "\ud800", "\0", "≈≋", "()[]{}"])
def test_a_text_that_says_nothing_has_no_lexemes(text: str) -> None:
    assert lexemes(text) == ()
    assert analyze_question(text).weights == {}


def test_a_token_too_long_to_index_is_found_exactly_and_by_its_slices() -> None:
    key = "k3y" * 300
    whole, *slices = lexemes(key)
    other, *other_slices = lexemes(key[:-1] + "z")

    assert whole != other
    assert "".join(dict.fromkeys(slices)) in key
    assert set(slices) & set(other_slices)
    assert analyze_question(f"what is {key}?").identifiers == {whole}


TEXTS = st.text(max_size=300) | st.text(alphabet="aB1é ё東👍-_./:@#+'\\=,\u200d\u0301 ", max_size=300)


@given(TEXTS)
def test_lexemes_hold_no_white_space_or_control_and_stay_short(text: str) -> None:
    for lexeme in (*lexemes(text), *analyze_question(text).weights):
        assert lexeme
        assert lexeme.split() == [lexeme]
        assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zs"} for character in lexeme)
        assert len(lexeme.encode()) < 500


@given(TEXTS)
def test_no_letter_or_digit_is_lost(text: str) -> None:
    # NFKC spells these signs out in letters, and Unicode takes this apostrophe for a letter.
    letters = unicodedata.normalize("NFKC", text.translate(dict.fromkeys(map(ord, "№™℠℡"), " "))).replace("ʼ", " ")
    assert set(filter(str.isalnum, fold(letters))) <= set("".join(lexemes(text)))


@given(TEXTS)
def test_normalisation_forms_give_the_same_lexemes(text: str) -> None:
    assert lexemes(unicodedata.normalize("NFD", text)) == lexemes(unicodedata.normalize("NFC", text))


@given(st.text(alphabet="abcdeéñçабвгдё 12.,-/", max_size=200))
def test_case_does_not_matter(text: str) -> None:
    assert lexemes(text.upper()) == lexemes(text)


@given(TEXTS)
def test_a_question_finds_the_document_that_says_the_same(text: str) -> None:
    asked = analyze_question(text)
    assert asked.identifiers <= set(lexemes(text))
    assert not asked.weights or set(lexemes(text)) & asked.weights.keys()
    assert all(weight > 0 for weight in asked.weights.values())


@pytest.mark.parametrize(
    "unit", ["a", "a.", "--a", "n'", "1,", "12-", "aB", "a@", "1:", "東京", "👍\u200d", "e\u0301", "/", "а "]
)
def test_a_pasted_prompt_is_read_in_linear_time(unit: str) -> None:
    analyze_question(unit * 100)
    started = time.process_time()
    analyze_question(unit * (40_000 // len(unit)))
    # Generous by an order of magnitude; anything quadratic takes minutes.
    assert time.process_time() - started < 5
