import os

from hypothesis import settings

settings.register_profile("default", max_examples=25, deadline=None, print_blob=True)
settings.register_profile("quick", parent=settings.get_profile("default"), max_examples=3)
settings.register_profile("soak", parent=settings.get_profile("default"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
