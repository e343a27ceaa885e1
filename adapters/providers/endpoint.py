"""A provider's address and key, and its errors."""

import re
from collections.abc import Mapping

import attrs

from hardwon.adapters.providers.table import Provider
from hardwon.domain.model.errors import (
    EmbedderError,
    EmbedderUnavailableError,
    LabelerUnavailableError,
    RateLimitedError,
    UnusableVectorError,
)

LONGEST_EXCERPT = 200
# Providers echo a refused key in part ("sk-ab****yz"), recognisable by its first characters.
TELLING_PREFIX = 8


def _stripped(text: str) -> str:
    return text.strip()


def _without_slash(url: str) -> str:
    return url.strip().rstrip("/")


@attrs.frozen(kw_only=True)
class Endpoint:
    """
    One provider's address and key.

    Attributes:
        provider: Its name as users know it, such as `Gemini`.
        base_url: Scheme, host and the beginning of every path.
        key: Empty for none.
        way_out_of_404: Advice if the address or the model does not exist.
        way_out_when_down: Advice if nobody answers.
    """

    provider: str
    base_url: str = attrs.field(converter=_without_slash)
    key: str = attrs.field(default="", converter=_stripped, repr=False)
    key_name: str = ""
    key_required: bool = False
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    way_out_of_404: str = "check the model's name"
    way_out_when_down: str = "check the network"

    @property
    def host(self) -> str:
        """The host and port of the address, without user name or password."""
        after_scheme = self.base_url.rpartition("://")[2]
        return after_scheme.partition("/")[0].rpartition("@")[2]

    def require_key(self) -> None:
        """Check that a required key is present and valid."""
        if self.key_required and not self.key:
            raise ProviderUnavailableError(
                f"{self.provider} needs a key: set {self.key_name} in the environment"
            )
        if not re.fullmatch(r"[!-~]*", self.key):
            raise ProviderUnavailableError(
                f"{self.key_name} holds characters that no key has: set it again"
            )

    def says(self, problem: str, excerpt: str = "") -> str:
        """Return a one-line message with a short excerpt, never with the key."""
        words = self._without_key(
            " ".join("".join(c if c.isprintable() else " " for c in excerpt).split())
        )
        shortened = words if len(words) <= LONGEST_EXCERPT else words[: LONGEST_EXCERPT - 1] + "…"
        return f"{self.provider} at {self.host} {problem}" + (f": {shortened}" if shortened else "")

    def _without_key(self, words: str) -> str:
        if len(self.key) < TELLING_PREFIX:
            return words
        return re.sub(re.escape(self.key[:TELLING_PREFIX]) + r"\S*", "[key]", words)


def endpoint_of(provider: Provider, key: str, url: str, model: str) -> Endpoint:
    """Return the endpoint of a provider at *url*, for requests about *model*."""
    name, value = provider.key_header
    key_header = {name: value.format(key.strip())} if key.strip() else {}
    return Endpoint(
        provider=provider.title,
        base_url=url,
        key=key,
        key_name=provider.key_variable,
        key_required=bool(provider.key_variable)
        and (provider.needs_key_elsewhere or url.rstrip("/") == provider.url),
        headers={**key_header, **provider.headers},
        way_out_of_404=provider.way_out_of_404.format(model=model),
        way_out_when_down=provider.way_out_when_down,
    )


class ProviderError(EmbedderError, LabelerUnavailableError):
    """
    The base class of a provider's errors.

    They are errors of the ports too, so no adapter translates them. Every message is one line that
    names the provider, its host and the way out, never the key.
    """


class ProviderUnavailableError(ProviderError, EmbedderUnavailableError):
    """The provider can't be reached, refused, or did not answer in time."""


class ProviderRateLimitedError(ProviderUnavailableError, RateLimitedError):
    """The provider wants fewer requests."""


class ProviderAnswerUnusableError(ProviderError, UnusableVectorError):
    """The provider reported success, but its answer is unusable."""
