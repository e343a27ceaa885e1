"""
Formats of tokens as their vendors document them, to draw secrets from.

`{A36}` stands for 36 letters and digits, `{a36}` for lower case and `{U36}` for upper case ones,
`{h36}` for hexadecimal digits, `{H36}` for upper case ones, `{d36}` for digits, `{w36}` for
letters, digits, `_` and `-`, `{b36}` for base64, `{u0}` for a UUID.
"""

import random
import re
import string

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
}
_PART = re.compile(r"\{([AaUhHdwbu])(\d+)\}")

OWN_FORM: dict[str, tuple[str, ...]] = {
    "github": (
        "ghp_{A36}",
        "gho_{A36}",
        "ghs_{A36}",
        "ghu_{A36}",
        "ghr_{A76}",
        "github_pat_{A22}_{A59}",
    ),
    "gitlab": (
        "glpat-{w20}",
        "gldt-{w20}",
        "glrt-{w20}",
        "glcbt-1_{w20}",
        "glptt-{h40}",
        "glpat-{w27}.01.{a9}",
        "GR1348941{w20}",
    ),
    "bitbucket": ("ATBB{A32}", "ATCTT3xFfGN0{w170}={H8}"),
    "atlassian": ("ATATT3xFfGF0{w170}={H8}",),
    "npm": ("npm_{A36}",),
    "pypi": ("pypi-AgEIcHlwaS5vcmcC{w150}", "pypi-AgENdGVzdC5weXBpLm9yZw{w150}"),
    "rubygems": ("rubygems_{h48}",),
    "crates": ("cio{A32}",),
    "nuget": ("oy2{a43}",),
    "docker": ("dckr_pat_{w27}", "dckr_oat_{w32}"),
    "aws": ("AKIA{U16}", "ASIA{U16}"),
    "google": ("AIza{w35}", "GOCSPX-{w28}", "ya29.{w120}", "1//0{w100}"),
    "azure": (
        "AccountName=x;AccountKey={b86}==;EndpointSuffix=core.windows.net",
        "sv=2022-11-02&sig={A43}%3D",
        "{A3}8Q~{w34}",
        "{A76}AZDO{A4}",
    ),
    "digitalocean": ("dop_v1_{h64}", "doo_v1_{h64}", "dor_v1_{h64}"),
    "heroku": ("HRKU-AA{w58}", "HRKU-{u0}"),
    "flyio": ("fo1_{w43}", "FlyV1 fm2_{b120}"),
    "vercel": ("vcp_{A56}", "vercel_blob_rw_{A16}_{A30}"),
    "netlify": ("nfp_{A36}",),
    "render": ("rnd_{A28}",),
    "railway": ("rw_Fe26.2**{h64}*{w22}*{w100}",),
    "supabase": ("sbp_{h40}", "sb_secret_{w31}"),
    "planetscale": ("pscale_tkn_{w43}", "pscale_pw_{w43}"),
    "neon": ("napi_{a64}", "npg_{A12}"),
    "databricks": ("dapi{h32}", "dapi{h32}-2"),
    "cloudflare": ("v1.0-{h24}-{h146}",),
    "tailscale": ("tskey-auth-{A12}CNTRL-{A32}", "tskey-api-{A12}CNTRL-{A32}"),
    "grafana": ("glsa_{A32}_{h8}", "glc_{b80}"),
    "newrelic": ("NRAK-{U27}", "{h36}FFFFNRAL"),
    "sentry": ("sntryu_{h64}", "sntrys_eyJpYXQiOjE3{b120}_{b43}"),
    "dynatrace": ("dt0c01.{U24}.{U64}",),
    "posthog": ("phx_{A43}",),
    "honeycomb": ("hcaik_{a58}",),
    "axiom": ("xaat-{u0}",),
    "launchdarkly": ("sdk-{u0}", "api-{u0}"),
    "openai": ("sk-{A20}T3BlbkFJ{A20}", "sk-proj-{w124}", "sk-svcacct-{w120}", "sk-admin-{w120}"),
    "anthropic": ("sk-ant-api03-{w93}AA", "sk-ant-oat01-{w93}AA", "sk-ant-admin01-{w93}AA"),
    "openrouter": ("sk-or-v1-{h64}",),
    "deepseek": ("sk-{h32}",),
    "groq": ("gsk_{A52}",),
    "xai": ("xai-{A80}",),
    "perplexity": ("pplx-{A48}",),
    "replicate": ("r8_{A37}",),
    "huggingface": ("hf_{A34}",),
    "together": ("tgp_v1_{w43}",),
    "fireworks": ("fw_{A24}",),
    "nvidia": ("nvapi-{w64}",),
    "pinecone": ("pcsk_{A6}_{A63}",),
    "cerebras": ("csk-{a48}",),
    "voyage": ("pa-{w43}",),
    "langsmith": ("lsv2_pt_{h32}_{h10}", "lsv2_sk_{h32}_{h10}"),
    "langfuse": ("sk-lf-{u0}",),
    "elevenlabs": ("sk_{h48}",),
    "tavily": ("tvly-dev-{A32}", "tvly-{A32}"),
    "firecrawl": ("fc-{h32}",),
    "e2b": ("e2b_{h40}",),
    "llamacloud": ("llx-{A48}",),
    "wandb": ("wandb_v1_{w77}",),
    "slack": (
        "xoxb-{d12}-{d13}-{A24}",
        "xoxp-{d12}-{d12}-{d13}-{h32}",
        "xapp-1-A{U10}-{d13}-{h64}",
        "xoxe.xoxp-1-{b160}",
    ),
    "telegram": ("{d10}:AA{w33}",),
    "discord": ("M{A23}.{w6}.{w38}",),
    "twilio": ("SK{h32}",),
    "sendgrid": ("SG.{w22}.{w43}",),
    "mailgun": ("key-{h32}", "{h32}-{h8}-{h8}"),
    "mailchimp": ("{h32}-us21",),
    "brevo": ("xkeysib-{h64}-{A16}", "xsmtpsib-{h64}-{A16}"),
    "resend": ("re_{A8}_{A24}",),
    "stripe": ("sk_live_{A24}", "sk_test_{A99}", "rk_live_{A24}", "whsec_{A32}"),
    "square": ("sq0atp-{w22}", "sq0csp-{w43}", "EAAA{w60}"),
    "paypal": ("access_token$production${a16}${h32}",),
    "shopify": ("shpat_{h32}", "shpss_{h32}", "shppa_{h32}", "shpca_{h32}"),
    "razorpay": ("rzp_live_{A14}",),
    "plaid": ("access-production-{u0}",),
    "coinbase": ("organizations/{u0}/apiKeys/{u0}",),
    "easypost": ("EZAK{A54}",),
    "notion": ("ntn_{A46}", "secret_{A43}"),
    "linear": ("lin_api_{A40}", "lin_oauth_{h64}"),
    "airtable": ("pat{A14}.{h64}",),
    "figma": ("figd_{w40}",),
    "asana": ("2/1{d15}/1{d15}:{h32}",),
    "clickup": ("pk_{d8}_{U32}",),
    "trello": ("ATTA{h72}",),
    "typeform": ("tfp_{w44}_{w14}",),
    "contentful": ("CFPAT-{w43}",),
    "postman": ("PMAK-{h24}-{h34}",),
    "doppler": ("dp.pt.{A43}", "dp.st.prd.{A43}"),
    "vault": ("hvs.CAESI{w90}", "hvb.AAAAAQ{w140}", "s.{A24}"),
    "terraform": ("{A14}.atlasv1.{A67}",),
    "pulumi": ("pul-{h40}",),
    "infisical": ("st.{h24}.{h32}.{h32}",),
    "onepassword": ("ops_eyJ{w300}",),
    "age": ("AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE6",),
    "sonarqube": ("squ_{h40}", "sqp_{h40}"),
    "snyk": ("snyk_uat.{h8}.{w80}",),
    "sourcegraph": ("sgp_{h16}_{h40}",),
    "circleci": ("CCIPAT_{A22}_{h40}",),
    "buildkite": ("bkua_{h40}",),
    "jfrog": ("AKCp8{A68}", "cmVmdGtuOjAxOj{A50}"),
    "octopus": ("API-{U32}",),
    "prefect": ("pnu_{A36}",),
    "readme": ("rdme_{a70}",),
    "hubspot": ("pat-na1-{u0}",),
    "intercom": ("dG9rO{b54}=",),
    "zapier": ("https://hooks.zapier.com/hooks/catch/{d8}/{a7}/",),
    "slack-webhook": ("https://hooks.slack.com/services/T{U10}/B{U10}/{A24}",),
    "discord-webhook": ("https://discord.com/api/webhooks/{d19}/{w68}",),
    "facebook": ("EAAGm0PX4ZCps{A150}",),
    "mapbox": ("sk.eyJ1Ijoi{A60}.{w22}",),
    "yandex": ("AQVN{w36}", "y0_{w55}"),
    "alibaba": ("LTAI5t{A18}",),
    "tencent": ("AKID{A32}",),
    "jwt": ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIx{w60}.{w43}",),
    "jwe": (
        "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.{w342}.{w16}.{w80}.{w22}",
        "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0..{w22}.{w120}.{w22}",
    ),
    "fernet": ("gAAAAAB{w113}==",),
}
"""Tokens that are known wherever they stand."""

BY_NAME: dict[str, tuple[str, ...]] = {
    "algolia admin api key": ("{h32}",),
    "auth0 client secret": ("{w64}",),
    "aws secret access key": ("{b40}",),
    "azure storage account key": ("{b86}==",),
    "bugsnag api key": ("{h32}",),
    "cloudflare api token": ("{w40}",),
    "cloudinary api secret": ("{w27}",),
    "cohere api key": ("{A40}",),
    "datadog api key": ("{h32}",),
    "datadog app key": ("{h40}",),
    "dd api key": ("{h32}",),
    "deepgram api key": ("{h40}",),
    "dropbox app secret": ("{a15}",),
    "fastly api token": ("{w32}",),
    "hcloud token": ("{A64}",),
    "jira api token": ("{A24}",),
    "linode token": ("{h64}",),
    "mistral api key": ("{A32}",),
    "okta api token": ("00{w40}",),
    "pagerduty api key": ("{w20}",),
    "pusher app secret": ("{h20}",),
    "rollbar access token": ("{h32}",),
    "spotify client secret": ("{h32}",),
    "telegram api hash": ("{h32}",),
    "travis token": ("{w22}",),
    "twilio auth token": ("{h32}",),
    "twitch client secret": ("{a30}",),
    "twitter api secret": ("{A50}",),
    "vonage api secret": ("{A16}",),
    "zendesk api token": ("{A40}",),
}
"""Tokens without a form of their own, by their names in vendors' documents."""


def filled(template: str, chance: random.Random) -> str:
    """
    Return *template* with its parts drawn.

    Each part has a letter at both ends.
    """

    def part(found: re.Match[str]) -> str:
        kind, length = found[1], int(found[2])
        return (
            "-".join(run("h", count) for count in (8, 4, 4, 4, 12))
            if kind == "u"
            else run(kind, length)
        )

    def run(kind: str, length: int) -> str:
        letters = "".join(chance.choices(ALPHABETS[kind], k=length))
        ends = [letter for letter in ALPHABETS[kind] if letter.isalnum()]
        return chance.choice(ends) + letters[1:-1] + chance.choice(ends) if length > 1 else letters

    return _PART.sub(part, template)
