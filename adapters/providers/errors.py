"""
What a provider on the network can do wrong, before an adapter says it in its port's words.

::

    ProviderError
      ProviderUnavailableError      no usable answer now: no key, no network, refused, too late
        ProviderRateLimitedError    worth another try, later
      ProviderAnswerUnusableError   an answer that is not what was asked for

Every message is one line that names the provider, its host and the way out, never the key.
"""


class ProviderError(Exception):
    """The one root that an adapter catches at its boundary."""


class ProviderUnavailableError(ProviderError):
    """The provider can't be reached, refused, or did not answer in time."""


class ProviderRateLimitedError(ProviderUnavailableError):
    """
    The provider wants fewer requests.

    Attributes:
        retry_after: Seconds until the next try is welcome, None when it did not say.

    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderAnswerUnusableError(ProviderError):
    """The provider said all is well, but its answer makes no sense."""
