"""Signing in with an account elsewhere: a provider and a hill, both served for real."""

from __future__ import annotations

import base64
import json
import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from attrs import define, field
from playwright.sync_api import expect
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from arena.rules import UserError
from arena.tournament.file.contents import OAuth
from arena_hill.db.accounts import NameTakenError
from arena_hill.hill_access import HillAccess
from arena_hill.web.errors import ERROR_HANDLERS
from arena_hill.web.identity import get_cookie_name
from arena_hill.web.oauth import (
    SECRET_VARIABLE,
    OAuthLogin,
    build_routes,
    derive_state,
    get_login_cookie_name,
    parse_author_name,
)
from arena_hill.web.served_hill import ServedHill
from arena_web.app import GuardedApplication, build_application
from arena_web.server import run_in_thread
from tests.support.hill.hill_access import open_hill_access, write_hill_file
from tests.support.hill.played_hill import build_hill_app
from tests.support.web.browser import Pages, check_page

pytestmark = pytest.mark.slow

CLIENT, WORD = "the-hill", "canary-secret"
LOGIN_COOKIE_NAME = get_login_cookie_name("gops")
OTHERWISE = "joined in another way"


@define
class Provider:
    """Lets in whoever comes, as `user`; it keeps to the standard, but where a test has it fail."""

    user: Any = field(factory=lambda: {"login": "ada-l", "id": 7})
    token: Any = None  # what it answers, in place of a token
    refuses: str = ""
    given: dict[str, dict[str, str]] = field(factory=dict)  # codes, with what they were asked by
    tokens: set[str] = field(factory=set)

    def app(self) -> GuardedApplication:
        token = Route("/token", self.exchange, methods=["POST"])
        routes = [Route("/authorize", self.authorize), token, Route("/user", self.who)]
        return build_application(routes, limits={}, handlers=ERROR_HANDLERS)

    async def authorize(self, request: Request) -> Response:
        """Send a browser back, with a code for what it was sent with."""
        asked = dict(request.query_params)
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.given[code] = asked
        told = {"error": self.refuses} if self.refuses else {"code": code}
        query = urlencode({**told, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{query}", 303)

    async def exchange(self, request: Request) -> Response:
        """Give a token for a code, once, to who knows the secret and the verifier."""
        form = {
            name: values[0] for name, values in parse_qs((await request.body()).decode()).items()
        }
        asked = self.given.pop(form["code"], {})
        basic = base64.b64encode(f"{CLIENT}:{WORD}".encode()).decode()
        seen = sha256(form["code_verifier"].encode()).digest()
        fits = asked.get("code_challenge") == base64.urlsafe_b64encode(seen).decode().rstrip("=")
        same = asked.get("redirect_uri") == form["redirect_uri"]
        if not (request.headers["authorization"] == f"Basic {basic}" and fits and same):
            return JSONResponse({"error": "invalid_grant"}, 400)
        if self.token is not None:
            return build_answer(self.token)
        token = secrets.token_urlsafe()
        self.tokens.add(token)
        return JSONResponse({"access_token": token, "token_type": "bearer"})

    async def who(self, request: Request) -> Response:
        if request.headers["authorization"].removeprefix("Bearer ") not in self.tokens:
            return JSONResponse({"error": "invalid_token"}, 401)
        return build_answer(self.user)


def build_answer(what: Any) -> Response:
    """Return an answer: JSON, in which any text can be said, or what is given instead."""
    return Response(what if isinstance(what, bytes) else json.dumps(what))


@define
class Site:
    """A hill with a provider, and browsers that come to it."""

    provider: Provider
    access: HillAccess
    address: str  # of the hill's page

    def browser(self) -> Browser:
        return Browser(self)


@define
class Browser:
    """A browser that does what it is led to; cookies of a secure site go to this machine, too."""

    site: Site
    cookies: dict[str, str] = field(factory=dict)

    def get(self, url: str) -> httpx2.Response:
        """Ask for one page, and keep the cookies that come with it."""
        sent = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        # reading certificates takes longer than the test
        answer = httpx2.get(url, headers={"Cookie": sent} if sent else {}, timeout=60, verify=False)
        for line in answer.headers.get_list("set-cookie"):
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0].strip('"')
            self.cookies.pop(name, None)
            if value:
                self.cookies[name] = value
        return answer

    def out(self) -> str:
        """Begin to sign in; return the address by which the provider sends back."""
        to = self.get(f"{self.site.address}sign-in").headers["location"]
        return httpx2.get(to, timeout=60, verify=False).headers["location"]

    def sign_in(self) -> httpx2.Response:
        return self.get(self.out())

    @property
    def name(self) -> str:
        known = self.site.access.store.accounts.identify(
            self.cookies.get(get_cookie_name(self.site.access.hill.name), "")
        )
        return known.name if known else ""


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve a provider and a hill that knows it, once."""
    folder = tmp_path_factory.mktemp("oauth")
    (folder / "secret").write_text(f"{WORD}\n")
    provider = Provider()
    with ExitStack() as stack:
        at = stack.enter_context(run_in_thread(provider.app()))
        hill = open_hill_access(folder, oauth=table(at, secret_file="secret"))  # noqa: S106  # a file's name
        base = stack.enter_context(run_in_thread(build_hill_app(hill)))
        yield Site(provider, hill, f"{base}hill/{hill.hill.name}/")


@pytest.fixture
def site(held: Site) -> Site:
    held.provider.__init__()  # type: ignore[misc]  # as it was
    return held


def table(at: str, **more: str) -> str:
    keys = {"authorize": f"{at}authorize", "token": f"{at}token", "user": f"{at}user",
            "client": CLIENT, **more}  # fmt: skip
    return "{" + ", ".join(f"{key} = {json.dumps(value)}" for key, value in keys.items()) + "}"


def test_an_account_signs_in_with_a_click(pages: Pages, site: Site) -> None:
    """The author gets the name of the account and a cookie that no script reads, and the cookie of the state is deleted."""
    page = pages.open(site.address)
    check_page(page)
    page.get_by_role("link", name="Sign in").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("You are ada_l")).to_be_visible()
    assert page.url == site.address
    cookies = {cookie["name"]: cookie for cookie in page.context.cookies()}
    (name,) = cookies
    assert name == get_cookie_name(site.access.hill.name)
    kept = cookies[name]
    assert kept["secure"]
    assert kept["httpOnly"]
    assert kept["sameSite"] == "Lax"
    pages.allowed.add("403")
    page.goto(f"{site.address}signed-in")
    expect(page.get_by_role("alert")).to_contain_text("This sign-in was started in another browser")
    expect(page.get_by_text("still signed in as ada_l")).to_be_visible()
    check_page(page)


def test_a_state_is_of_one_browser_and_good_once(site: Site) -> None:
    """A wrong state, another browser's, none, and one that was used lead to no session."""
    one, other = site.browser(), site.browser()
    back = one.out()
    secret = one.cookies[LOGIN_COOKIE_NAME]
    state = derive_state(secret)
    assert f"state={state}" in back
    other.out()
    for browser, url in [
        (other, back),
        (site.browser(), back),
        (one, back.replace(state, "x" * len(state))),
        (one, f"{site.address}signed-in"),
    ]:
        cookies = dict(browser.cookies)
        answer = browser.get(url)
        assert answer.status_code == 403
        assert "This sign-in was started in another browser" in answer.text
        assert browser.name == ""
        browser.cookies = cookies
    assert one.get(back).status_code == 303
    assert one.name == "ada_l"
    one.cookies[LOGIN_COOKIE_NAME] = secret
    assert one.get(back).status_code == 502  # the provider takes a code once


def test_only_the_browser_keeps_the_secret_of_a_sign_in(site: Site) -> None:
    """The browser keeps the secret for ten minutes, and the provider is asked without it."""
    answer = site.browser().get(f"{site.address}sign-in")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{LOGIN_COOKIE_NAME}=")
    for word in ("Secure", "HttpOnly", "SameSite=lax", "Max-Age=600", "Path=/"):
        assert word in cookie
    assert "Domain" not in cookie
    asked = parse_qs(urlsplit(answer.headers["location"]).query)
    assert asked["redirect_uri"] == [f"{site.address}signed-in"]
    assert {*asked} == {"response_type", "client_id", "redirect_uri", "state", "code_challenge",
                        "code_challenge_method"}  # fmt: skip


def test_nobody_can_end_the_sign_ins_of_others(site: Site) -> None:
    """However many sign-ins are begun, none takes the place of another."""
    one = site.browser()
    back = one.out()
    with TestClient(build_hill_app(site.access), base_url="https://localhost") as many:
        for _ in range(50):
            answer = many.get("/hill/gops/sign-in", follow_redirects=False)
            assert answer.status_code == 303
    assert one.get(back).status_code == 303
    assert one.name == "ada_l"


def test_sign_ins_at_two_hills_of_a_host_have_cookies_of_their_own() -> None:
    """Beginning to sign in at one port of a host does not end a sign-in at the hill of another."""
    assert get_login_cookie_name("gops") != get_login_cookie_name("bs")
    assert get_login_cookie_name("gops").startswith("__Host-")


def test_an_empty_cookie_signs_nobody_in(site: Site) -> None:
    """An empty secret is refused, though a state can be derived from it."""
    one = site.browser()
    one.out()
    for secret, state in (("", derive_state("")), ("x", derive_state("y")), ("x", "ü")):
        query = urlencode({"code": "1", "state": state})
        one.cookies = {LOGIN_COOKIE_NAME: secret}
        assert one.get(f"{site.address}signed-in?{query}").status_code == 403


@pytest.mark.parametrize(
    ("fails", "said", "status"),
    [
        ({"refuses": "access_denied"}, "did not sign you in (access_denied)", 403),
        ({"refuses": "<b>Call 0800</b>"}, "did not sign you in.", 403),
        ({"token": {"error": "bad_verification_code"}}, "did not confirm who you are (bad_verif", 502),
        ({"token": {"error": {"canary": 1}}}, "did not confirm who you are.", 502),
        ({"token": b"<html>canary"}, "127.0.0.1", 502),
        ({"token": ["canary"]}, "127.0.0.1", 502),
        ({"token": {"access_token": "stale", "token_type": "bearer"}}, "could not be asked", 502),
        ({"token": {"access_token": "a\nb", "token_type": "bearer"}}, "127.0.0.1", 502),
        ({"token": {"access_token": 5, "token_type": 5}}, "127.0.0.1", 502),
        ({"token": {}}, "127.0.0.1", 502),
        ({"user": b"canary"}, "could not be asked who you are (JSONDecodeError)", 502),
        ({"user": ["canary"]}, "sent an invalid answer", 502),
        ({"user": {"name": "canary"}}, "cannot be used as a name here", 403),
        ({"user": {"login": None}}, "cannot be used as a name here", 403),
        ({"user": {"login": "ada", "id": ["canary"]}}, "cannot be used as a name here", 403),
        ({"user": {"login": "...."}}, "cannot be used as a name here", 403),
        ({"user": {"login": "a\u0000\ud800"}}, "cannot be used as a name here", 403),
        ({"user": {"login": "canary" * 100}}, "cannot be used as a name here", 403),
    ],
)  # fmt: skip
def test_a_failure_of_the_provider_is_one_line(
    site: Site, capfd: pytest.CaptureFixture[str], fails: dict[str, Any], said: str, status: int
) -> None:
    """The line has no word of the provider but its error code, and nothing secret is logged."""
    for name, value in fails.items():
        setattr(site.provider, name, value)
    browser = site.browser()
    answer = browser.sign_in()
    assert answer.status_code == status
    assert said in answer.text
    assert browser.cookies == {}
    out = "".join(capfd.readouterr())
    assert "Traceback" not in out
    assert ("sign-in failed" in out) == (status == 502)
    for word in ("canary", "0800"):
        assert word not in answer.text + out


def test_an_outage_of_the_provider_is_one_line(tmp_path: Path) -> None:
    """Authors read that the provider cannot be reached, and sign in once it can."""
    with run_in_thread(Provider().app()) as at:
        pass  # nobody listens there any more
    (tmp_path / "secret").write_text(WORD)
    hill = open_hill_access(tmp_path / "hill", oauth=table(at, secret_file="../secret"))  # noqa: S106
    with run_in_thread(build_hill_app(hill)) as base:
        browser = Site(Provider(), hill, f"{base}hill/{hill.hill.name}/").browser()
        to = browser.get(f"{base}hill/gops/sign-in").headers["location"]
        state = parse_qs(urlsplit(to).query)["state"][0]
        answer = browser.get(f"{base}hill/gops/signed-in?code=1&state={state}")
    assert answer.status_code == 502
    assert "could not be asked who you are (ConnectionError)" in answer.text


def test_a_banned_account_does_not_sign_in_again(site: Site) -> None:
    """A banned author cannot sign in again, nor under another name."""
    site.provider.user = {"login": "mallory", "id": 13}
    assert site.browser().sign_in().status_code == 303
    site.access.store.host_actions.ban("mallory", "attacks the host")
    for login in ("mallory", "nice"):
        site.provider.user["login"] = login
        browser = site.browser()
        answer = browser.sign_in()
        assert answer.status_code == 403
        assert f"{login} is banned here" in answer.text
        assert browser.cookies == {}


def test_an_invited_author_and_an_account_never_share_a_name(site: Site) -> None:
    """An account with an invited author's name is refused, and so is an invitation for an account's name."""
    database = site.access.store
    database.accounts.join(database.accounts.invite("Grace"))
    site.provider.user = {"login": "grace"}
    browser = site.browser()
    answer = browser.sign_in()
    assert answer.status_code == 403
    assert OTHERWISE in answer.text
    assert browser.cookies == {}
    early = database.accounts.invite("heidi")
    site.provider.user = {"login": "heidi"}
    assert site.browser().sign_in().status_code == 303
    with pytest.raises(NameTakenError, match=OTHERWISE):
        database.accounts.invite("Heidi")
    joining = httpx2.post(f"{site.address}join/{early}", timeout=60, verify=False)
    assert joining.status_code == 409
    assert OTHERWISE in joining.text
    assert database.accounts.find_invited_name(early) == "heidi"


def test_two_accounts_are_two_authors(site: Site) -> None:
    """Of two accounts whose names become the same here, the second is refused and told why."""
    for login, status in {"jo-e": 303, "jo_e": 403, "jo.-e": 403}.items():
        site.provider.user = {"login": login}
        answer = site.browser().sign_in()
        assert answer.status_code == status, login
        told = "the name jo_e belongs to an author with another account: ask the host"
        assert (told in answer.text) == (status == 403)
    site.provider.user = {"login": "jo-e"}
    browser = site.browser()
    browser.sign_in()
    assert browser.name == "jo_e"


def test_a_renamed_account_is_the_same_author(site: Site) -> None:
    """An account may be renamed, and whoever has its old name then is another author."""
    for login, number, name in [("old", 21, "old"), ("new", 21, "old"), ("old", 22, "")]:
        site.provider.user = {"login": login, "id": number}
        browser = site.browser()
        browser.sign_in()
        assert browser.name == name


def test_the_name_of_an_account_becomes_a_valid_name() -> None:
    """The name of an author has letters, digits and underscores, 32 at most."""
    for login, name in {"a" * 40: "a" * 32, "Zoë-99": "Zo_99"}.items():
        assert parse_author_name({"login": login}, "login") == name


def test_a_hill_without_a_provider_has_no_sign_in(tmp_path: Path) -> None:
    """A hill without [hill.oauth] has no page for sign-in, and no link to one."""
    hill = open_hill_access(tmp_path)
    assert build_routes(ServedHill.of(hill)) == []
    with run_in_thread(build_hill_app(hill)) as base:
        address = f"{base}hill/{hill.hill.name}/"
        assert "sign-in" not in httpx2.get(address, timeout=60, verify=False).text
        for path in ("sign-in", "signed-in"):
            assert httpx2.get(address + path, timeout=60, verify=False).status_code == 404


def test_a_mistake_in_the_table_of_the_provider_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An insecure address, an unknown key, a missing or empty secret and a missing library are named."""
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    at = "http://127.0.0.1:1/"
    for oauth, said in {
        "3": "oauth",
        table("http://example.org/"): "hill.oauth: authorize: 'http://example.org/authorize'",
        table(at, colour="red"): "colour",
        "{client = 'x'}": "oauth.token: is missing",
    }.items():
        with pytest.raises(UserError, match="hill") as problem:
            HillAccess.open(write_hill_file(tmp_path, oauth=oauth))
        assert said in str(problem.value)
    (tmp_path / "empty").write_text("\n")
    for more, said in {
        "": "set `secret_file` or",
        "empty": "is empty",
        "none": "cannot be read",
    }.items():
        given = {"secret_file": more} if more else {}
        hill = open_hill_access(tmp_path, oauth=table(at, **given))
        with pytest.raises(UserError, match=said):
            build_routes(ServedHill.of(hill))
    monkeypatch.setenv(SECRET_VARIABLE, WORD)
    hill = open_hill_access(tmp_path, oauth=table(at))
    assert len(build_routes(ServedHill.of(hill))) == 2
    monkeypatch.setitem(sys.modules, "authlib.integrations.requests_client", None)
    with pytest.raises(UserError, match="arena-hill"):
        build_routes(ServedHill.of(hill))


def test_the_representation_of_a_sign_in_hides_its_secret() -> None:
    """A sign-in that is logged by mistake does not show the client's secret."""
    config = OAuth("https://a.example/", "https://a.example/", "https://a.example/", CLIENT)
    assert WORD not in repr(OAuthLogin(config, WORD))
