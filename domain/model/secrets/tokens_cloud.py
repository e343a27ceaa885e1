"""Tokens of clouds, hosts, networks, databases and monitoring."""

from hardwon.domain.model.secrets.rule import Rule, token

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

RULES: tuple[Rule, ...] = (
    token(
        "aws-key-id", "akia asia abia acca a3t", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}"
    ),
    token(
        "aws-session-token",
        "iqojb3jpz2lu fwogzxivyxdz fqogzxivyxdz",
        r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/]{80,4000}={0,2}",
    ),
    token("aws-bedrock-key", "absk", r"ABSK[A-Za-z0-9+/]{100,280}={0,2}"),
    token(
        "aws-bedrock-short-key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=_\-]{20,2000}"
    ),
    token("aws-marketplace-key", "amzn.mws.", rf"amzn\.mws\.{_UUID}"),
    token("amazon-oauth-secret", "amzn1.oa2-cs.v1.", r"amzn1\.oa2-cs\.v1\.[a-f0-9]{64}"),
    token("amazon-login-token", "atza|", r"Atza\|[\w\-]{80,600}"),
    token("azure-client-secret", "q~", r"[\w~.]{3}\dQ~[\w~.\-]{31,34}", before=4),
    token("azure-account-key", "accountkey=", r"(?i:AccountKey=)([A-Za-z0-9+/]{86,88}={0,2})"),
    token(
        "azure-shared-access-key",
        "sharedaccesskey=",
        r"(?i:SharedAccessKey=)([A-Za-z0-9+/]{40,88}={0,2})",
    ),
    token("azure-signature", "sig=", r"sig=([A-Za-z0-9%+/_\-]{43,90}={0,2})"),
    token(
        "azure-key", "jqqj9", r"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{27}(?:[A-Za-z0-9]{2}==)?", before=52
    ),
    token(
        "azure-long-key",
        "apim acdb +aba +amc +ast",
        r"[A-Za-z0-9+/]{76}(?:APIM|ACDb|\+(?:ABa|AMC|ASt))[A-Za-z0-9+/]{6}==",
        before=76,
    ),
    token(
        "azure-search-or-registry-key",
        "azse +acr",
        r"[A-Za-z0-9+/]{42}(?:AzSe|\+ACR)[A-Za-z0-9+/]{6}",
        before=42,
    ),
    token("azure-function-key", "azfu", r"[\w\-]{44}AzFu[\w\-]{6}==", before=44),
    token(
        "azure-function-address",
        "azurewebsites.net/api/",
        r"azurewebsites\.net/api/[\w/\-]{1,100}\?code=([\w/+%\-]{40,90}={0,2})",
    ),
    token("azure-devops-token", "azdo", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}", before=76),
    token("google-storage-key-id", "goog1", r"GOOG1E[A-Z0-9]{55}"),
    token("google-key", "aiza", r"AIza[\w\-]{35}"),
    token("google-client-secret", "gocspx-", r"GOCSPX-[\w\-]{28}"),
    token("google-access-token", "ya29.", r"ya29\.[\w\-.]{20,1024}"),
    token("google-refresh-token", "1//0", r"1//0[\w\-]{40,200}"),
    token("google-gemini-key", "aq.ab", r"AQ\.Ab[\w\-]{40,80}"),
    Rule("firebase-messaging-key", ":apa91b", r":(APA91b[\w\-]{120,180})", inside=True),
    token("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    token("digitalocean-spaces-key", "do00", r"DO00[A-Z0-9]{16}"),
    token("cloudflare-origin-key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    token("cloudflare-token", "cfut_ cfat_ cfk_", r"cf(?:[ua]t|k)_(?=[\w\-]{0,40}\d)[\w\-]{40,60}"),
    token("heroku-key", "hrku-", r"HRKU-[\w\-]{30,64}"),
    token(
        "flyio-token",
        "fo1_ fm1a_ fm1r_ fm2_",
        r"(?:fo1_[\w\-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/=,_\-]{60,2000})",
    ),
    token("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", r"vc[piark]_[A-Za-z0-9]{24,80}"),
    token(
        "vercel-blob-token",
        "vercel_blob_rw_",
        r"vercel_blob_rw_[A-Za-z0-9]{10,20}_[A-Za-z0-9]{20,50}",
    ),
    Rule(
        "vercel-deploy-hook",
        "/deploy/prj_",
        r"/deploy/prj_[A-Za-z0-9]{20,40}/([A-Za-z0-9]{8,20})(?![\w\-])",
        inside=True,
    ),
    Rule("netlify-build-hook", "/build_hooks/", r"/build_hooks/([a-f0-9]{24})(?!\w)", inside=True),
    token("netlify-token", "nfp_ nfc_ nfo_ nfb_ nfu_", r"nf[pcobu]_[A-Za-z0-9]{36,64}"),
    token("render-key", "rnd_", r"rnd_[A-Za-z0-9]{28,40}"),
    token("alibaba-key-id", "ltai", r"LTAI[A-Za-z0-9]{12,26}"),
    token("tencent-key-id", "akid", r"AKID[A-Za-z0-9]{32}"),
    token("yandex-key", "aqvn", r"AQVN[\w\-]{35,38}"),
    token("yandex-static-key", "yca", r"YCA[A-Za-z0-9_\-]{22,40}(?![+/=])"),
    token("yandex-iam-token", "t1.", r"t1\.[\w\-]{4,400}={0,2}\.[\w\-]{80,90}={0,2}"),
    token("yandex-oauth-token", "y0_", r"y[0-3]_[\w\-]{50,64}"),
    token("scaleway-key-id", "scw", r"SCW[A-Z0-9]{17}"),
    token("exoscale-key", "exo", r"EXO[a-f0-9]{24}"),
    token("backblaze-key", "k00", r"K00[0-4][A-Za-z0-9/+]{27}"),
    token("openshift-token", "sha256~", r"sha256~[\w\-]{43}"),
    token("rancher-token", "token", r"token-[a-z0-9]{5}:([a-z0-9]{54})"),
    token(
        "docker-swarm-token",
        "swmtkn-1- swmkey-1-",
        r"SWM(?:TKN|KEY)-1-[\w+/]{20,60}(?:-[a-z0-9]{20,30})?",
    ),
    token(
        "tailscale-key", "tskey-", r"tskey-[a-z]{3,10}-[A-Za-z0-9]{6,30}(?:-[A-Za-z0-9]{10,60})?"
    ),
    token("netbird-token", "nbp_", r"nbp_[A-Za-z0-9]{36}"),
    token("defined-networking-token", "dnkey-", r"dnkey-[\w\-=]{26}-[\w\-=]{52}"),
    token(
        "supabase-key",
        "sbp_ sb_secret_",
        r"(?:sbp_(?:oauth_)?(?=[a-z_]{0,40}\d)[a-z0-9_]{40,80}|sb_secret_[\w\-]{20,60})",
    ),
    token("planetscale-token", "pscale_", r"pscale_(?:tkn|oauth|pw|pat)_[\w=.\-]{32,64}"),
    token("neon-key", "napi_ neon_api_", r"(?:napi|neon_api)_[a-z0-9]{40,80}"),
    token("neon-password", "npg_", r"npg_[A-Za-z0-9]{10,24}"),
    token("mongodb-atlas-secret", "mdb_sa_sk_", r"mdb_sa_sk_[\w\-]{30,60}"),
    token("cockroach-key", "ccdb1_", r"CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}"),
    token("clickhouse-key", "4b1d", r"4b1d[A-Za-z0-9]{38}"),
    token("databricks-token", "dapi dose", r"(?:dapi|dose)[a-f0-9]{32}(?:-\d)?"),
    token("xata-key", "xau_", r"xau_[A-Za-z0-9]{30,64}"),
    token("tinybird-token", "p.eyj", r"p\.eyJ[\w\-]{20,300}\.[\w\-]{20,100}"),
    token("dbt-token", "dbtc_ dbtu_ dbts_", r"dbt[cus]_[\w\-]{30,80}"),
    token("aiven-token", "avns_", r"AVNS_[\w\-]{15,60}"),
    token("dynatrace-token", "dt0", r"(?i:dt0[a-z]\d\d\.[A-Z0-9]{8,24}\.[A-Z0-9]{64})"),
    token("datadog-token", "ddpat_ ddap_ ddapp_", r"dd(?:pat|app?)_(?=[A-Za-z_]{0,40}\d)\w{30,80}"),
    token("grafana-key", "eyjrijoi", r"eyJrIjoi[A-Za-z0-9+/_\-]{60,400}={0,3}"),
    token("grafana-cloud-token", "glc_", r"glc_[A-Za-z0-9+/=]{32,400}"),
    token("grafana-service-token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    token(
        "newrelic-key",
        "nrak- nrii- nrjs- nriq- nrra- nrbr- nrsp- nraa-",
        r"NR[A-Z]{2}-[\w\-]{19,64}",
    ),
    token(
        "newrelic-license-key",
        "nral",
        r"(?:[a-z]{2}\d\dxx[A-Fa-f0-9]{30}|[A-Fa-f0-9]{36})NRAL",
        before=36,
    ),
    token(
        "sentry-token",
        "sntrys_ sntryu_ sntrya_",
        r"sntry(?:s_eyJ[A-Za-z0-9+/=_]{40,500}|[ua]_[a-f0-9]{64})",
    ),
    token(
        "honeycomb-key", "hcaik_ hcxik_ hcbik_ hcamk_ hcxlk_ hcalk_", r"hc[a-z]{2}k_[a-z0-9]{26,64}"
    ),
    token("axiom-token", "xaat- xapt-", rf"xa[ap]t-{_UUID}"),
    token("posthog-key", "phx_ phs_", r"ph[xs]_(?=[A-Za-z_\-]{0,40}\d)[\w\-]{40,64}"),
    token("launchdarkly-key", "sdk- mob- api", rf"(?:sdk|mob|api)-{_UUID}"),
    token("statsig-key", "secret-", r"secret-[A-Za-z0-9]{40,64}"),
    token("logfire-token", "pylf_v", r"pylf_v\d_[a-z]{2}_[A-Za-z0-9]{30,60}"),
    token("maxmind-key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", before=36),
    token("mapbox-token", "pk.eyj sk.eyj tk.eyj", r"[pst]k\.eyJ[\w\-]{40,300}\.[\w\-]{20,30}"),
    token("here-key", "herekey-", r"hereKey-[\w\-]{43}"),
    token("teleport-token", "teleport-", r"teleport-[a-f0-9]{32}"),
    token("pagerduty-key", "u+", r"u\+[A-Za-z0-9_+\-]{18}(?![+/=])"),
    token("fastly-key", "fastly-key:", r"(?i:Fastly-Key:)[ ]{0,3}([\w\-]{32})", shortest=0),
)
