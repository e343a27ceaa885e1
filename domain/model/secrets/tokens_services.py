"""Tokens of language models, messaging, payments and other services."""

from hardwon.domain.model.secrets.rule import Rule, token

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_ID = r"\w{8}(?:-\w{4}){3}-\w{12}"

MODELS: tuple[Rule, ...] = (
    token("openai-anthropic-key", "sk-", r"sk-(?=[\w\-]{0,80}\d)[\w\-]{20,255}"),
    token(
        "openai-session-key",
        "sess- ek_",
        r"(?:sess-(?=[A-Za-z]{0,39}\d)[A-Za-z0-9]{40}|ek_[a-f0-9]{32})",
    ),
    token("context7-key", "ctx7sk-", rf"ctx7sk-{_UUID}"),
    token("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,64}"),
    token("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,100}"),
    token("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    token("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37,40}"),
    token("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,64}"),
    token("together-key", "tgp_v1_", r"tgp_v1_[\w\-]{40,64}"),
    token("fireworks-key", "fw_", r"fw_[A-Za-z0-9]{20,40}"),
    token("nvidia-key", "nvapi-", r"nvapi-[\w\-]{40,100}"),
    token("pinecone-key", "pcsk_", r"pcsk_[A-Za-z0-9]{4,12}_[A-Za-z0-9]{40,80}"),
    token("cerebras-key", "csk-", r"csk-[a-z0-9]{40,64}"),
    token("voyage-key", "pa-", r"pa-[\w\-]{43}"),
    token("voyage-atlas-key", "al-", r"al-[\w\-]{43}"),
    token("jina-key", "jina_", r"jina_[a-f0-9]{32}[\w\-]{28}"),
    token("tavily-key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{24,64}"),
    token("firecrawl-key", "fc-", r"fc-[a-f0-9]{32}"),
    token("e2b-key", "e2b_", r"e2b_[a-f0-9]{40}"),
    token("runpod-key", "rpa_", r"rpa_[A-Z0-9]{30,60}"),
    token("friendli-token", "flp_", r"flp_[A-Za-z0-9]{40,64}"),
    token("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    token("wandb-key", "wandb_v1_", r"wandb_v1_[\w\-]{40,100}"),
    token("llamacloud-key", "llx-", r"llx-[A-Za-z0-9]{40,60}"),
    token("elevenlabs-key", "sk_", r"sk_[a-f0-9]{48}"),
    token("cursor-key", "key_", r"key_[a-f0-9]{64}"),
    token("apify-token", "apify_api_", r"apify_api_[A-Za-z0-9]{30,50}"),
    token("browserbase-key", "bb_live_", r"bb_live_[\w\-]{24,40}"),
)

MESSAGING: tuple[Rule, ...] = (
    token("slack-token", "xox", r"xox[a-z](?:\.xox[a-z])?-[\w\-]{8,400}"),
    token("slack-app-token", "xapp-", r"xapp-\d-[A-Za-z0-9]{1,20}-\d{1,20}-[A-Za-z0-9]{4,100}"),
    token("slack-workflow-token", "xwfp-", r"xwfp-[\w\-]{20,200}"),
    token(
        "slack-webhook",
        "hooks.slack.com",
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/)([A-Za-z0-9+/]{20,100})",
    ),
    Rule(
        "discord-webhook",
        "/webhooks/",
        r"(?<=/api)/webhooks/\d{15,22}/([\w\-]{50,90})",
        inside=True,
    ),
    token(
        "teams-webhook",
        "webhook.office.com outlook.office.com",
        rf"(?:webhook\.office\.com/webhookb2|outlook\.office\.com/webhook)/({_ID}@{_ID}/IncomingWebhook/\w{{32}}/{_ID})",
    ),
    token(
        "google-chat-webhook",
        "chat.googleapis.com",
        r"chat\.googleapis\.com/v1/spaces/[\w\-]{5,30}/messages\?(key=[\w\-]{20,60}&token=[\w\-%]{20,80})",
    ),
    token(
        "ifttt-zapier-hook",
        "hooks.zapier.com",
        r"hooks\.zapier\.com/hooks/catch/(\d{4,12}/\w{4,12})",
    ),
    Rule("telegram-token", ":aa", r"(?<=\d{8}):(AA[\w\-]{32,34})(?![\w\-])", inside=True),
    token("twilio-key", "sk", r"SK(?:[0-9a-f]{32}|[0-9A-F]{32})"),
    token("sendgrid-key", "sg.", r"SG\.(?:[\w\-]{16,32}\.[\w\-]{16,64}|[\w\-=.]{66})"),
    token("mailgun-key", "key- pubkey-", r"(?:pub)?key-[a-f0-9]{32}"),
    token("mailchimp-key", "-us", r"[a-f0-9]{32}-us\d{1,2}", before=32),
    token("mandrill-key", "md-", r"md-[\w\-]{22}"),
    token("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    token("resend-key", "re_", r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}"),
    token("pubnub-key", "sec-c-", r"sec-c-[A-Za-z0-9+/=\-]{36,64}"),
    token("onesignal-key", "os_v2_", r"os_v2_(?:app|org)_[a-z0-9]{60,140}"),
    token("facebook-token", "eaa", r"EAA[A-Za-z]{1,3}[A-Za-z0-9]{80,400}"),
    token("instagram-token", "igqv igaa", r"IG(?:QV|AA)[\w\-]{80,400}"),
    token(
        "twitter-bearer-token",
        "aaaaaaaaaaaaaaaaaaaaa",
        r"A{20,24}(?=[A-Za-z0-9]{0,100}%)[A-Za-z0-9%]{70,140}",
    ),
    token("segment-token", "sgp_", r"sgp_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{64}"),
    token("hubspot-token", "pat-", rf"pat-[a-z]{{2}}\d-{_UUID}"),
    token("intercom-token", "dg9ro", r"dG9rO[A-Za-z0-9+/]{50,80}={0,2}"),
    token("salesforce-token", "00d", r"00D[A-Za-z0-9]{12,15}![\w.]{60,160}"),
    token("zoho-token", "1000.", r"1000\.[a-f0-9]{32}\.[a-f0-9]{32}"),
    token("dropbox-token", "sl.", r"sl\.(?:u\.)?[\w\-=]{100,2000}"),
    token("adobe-secret", "p8e-", r"p8e-[A-Za-z0-9\-_]{32}"),
)

PAYMENTS: tuple[Rule, ...] = (
    token(
        "stripe-key", "sk_ rk_ ek_", r"[rse]k_(?:org_)?(?:live|test|prod|sbox)_[A-Za-z0-9]{10,255}"
    ),
    token(
        "stripe-client-secret",
        "pi_ seti_",
        r"(?:pi|seti)_[A-Za-z0-9]{14,34}_secret_[A-Za-z0-9]{20,40}",
    ),
    token("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,80}"),
    token("square-token", "sq0", r"sq0[a-z]{3}-[\w\-]{22,60}"),
    token("square-access-token", "eaaa", r"EAAA(?=[\w\-]{0,60}\d)[\w\-]{22,64}"),
    token(
        "paypal-token",
        "access_token$",
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    token("adyen-key", "aqe", r"AQE[a-z]h[A-Za-z0-9+/=\-]{60,300}"),
    token(
        "shopify-token",
        "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_",
        r"shp(?:at|ca|pa|ss|tka|ua)_[A-Fa-f0-9]{32}",
    ),
    token("razorpay-key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,24}"),
    token(
        "flutterwave-key",
        "flwseck flwpubk",
        r"FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?",
    ),
    token("plaid-token", "access-", rf"access-(?:sandbox|development|production)-{_UUID}"),
    token("lob-key", "live_ test_", r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}"),
    token("mollie-key", "live_ test_", r"(?:live|test)_(?=[A-Za-z]{0,30}\d)[A-Za-z0-9]{30}"),
    token("gocardless-token", "live_", r"live_(?=[\w\-=]{0,40}\d)[A-Za-z0-9\-_=]{40}"),
    token("easypost-key", "ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}"),
    token("shippo-token", "shippo_", r"shippo_(?:live|test)_[a-fA-F0-9]{40}"),
    token("duffel-token", "duffel_", r"duffel_(?:test|live)_[\w\-=]{43}"),
    token("paddle-key", "pdl_", r"pdl_(?:live|sdbx)_\w{30,80}"),
    token("klarna-key", "klarna_", r"klarna_(?:live|test)_api_[\w\-+/=]{30,400}"),
    token("polar-token", "polar_", r"polar_(?:oat|pat|at)_[A-Za-z0-9]{30,64}"),
    token("woocommerce-key", "ck_ cs_", r"c[ks]_[a-f0-9]{40}"),
    token("coinbase-commerce-key", "organizations/", rf"organizations/{_UUID}/apiKeys/({_UUID})"),
    token("stytch-secret", "secret-", r"secret-(?:live|test)-[\w\-=]{36}"),
    token(
        "authress-key",
        "sc_ ext_ scauth_ authress_",
        r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_\-][A-Za-z0-9\-]{10,32}\.[\w+/=\-]{30,120}",
    ),
    token("json-web-token", "eyj", r"eyJ[\w\-]{8,2000}\.eyJ[\w\-]{8,4000}(?:\.[\w\-]{0,1000})?"),
    token(
        "json-web-encryption",
        "eyj",
        r"eyJ[\w\-]{8,2000}\.[\w\-]{0,1400}\.[\w\-]{10,40}\.[\w\-]{8,8000}\.[\w\-]{16,90}",
    ),
    token("encoded-json-web-token", "zxlk", r"ZXlK[A-Za-z0-9+/_\-]{40,4000}={0,2}"),
    token("fernet-token", "gaaaaa", r"gAAAAA[\w\-]{60,2000}={0,2}"),
    token("django-insecure-key", "django-insecure-", r"django-insecure-[^\s\"'`]{20,80}"),
    token("laravel-key", "base64:", r"base64:([A-Za-z0-9+/]{43}=)"),
)

RULES = MODELS + MESSAGING + PAYMENTS
