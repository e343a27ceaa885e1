"""
Failures of a provider on the network; as they are errors of the ports too, no adapter translates them.

::

    ProviderError
      ProviderUnavailableError      no usable answer now: no key, no network, refused, too late
        ProviderRateLimitedError    worth another try, later
      ProviderAnswerUnusableError   an answer that is not the one asked for

Every message is one line that names the provider, its host and the way out, never the key.
"""

from hardwon.domain.model.errors import (
    EmbedderError,
    EmbedderUnavailableError,
    LabelerUnavailableError,
    RateLimitedError,
    UnusableVectorError,
)


class ProviderError(EmbedderError, LabelerUnavailableError):
    """The root of a provider's errors."""


class ProviderUnavailableError(ProviderError, EmbedderUnavailableError):
    """The provider can't be reached, refused, or did not answer in time."""


class ProviderRateLimitedError(ProviderUnavailableError, RateLimitedError):
    """The provider wants fewer requests."""


class ProviderAnswerUnusableError(ProviderError, UnusableVectorError):
    """The provider reported success, but its answer is unusable."""
