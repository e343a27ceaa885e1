"""
The subjects of a text: languages, tools and fields of software.

A lesson on cron jobs matters to work on a shell script. Both may share no word, and a small model
does not know that cron belongs to the shell: the table does. `docs/measurements-of-quality.md` says
what it gains.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from hardwon.domain.model.prompt_terms import stem

_SUBJECTS: Mapping[str, str] = {
    # languages
    "python": """
        python pip pypi venv virtualenv asyncio django flask fastapi numpy pandas gil decorator dataclass
        mypy ruff pickle celery gunicorn uvicorn sqlalchemy pydantic pytest jupyter
        """,
    "javascript": """
        javascript node npm yarn pnpm webpack vite vitest jest rollup esbuild swc babel bundler react vue
        svelte angular nextjs express promise undefined eslint prettier polyfill
        """,
    "typescript": "typescript tsc tsconfig enum interface declaration types alias esm commonjs",
    "golang": "golang goroutine channel defer vendor mutex nil context gofmt waitgroup pprof mod",
    "rust": """
        rust cargo crate tokio async await trait borrow lifetime arc mutex clippy unwrap serde workspace unsafe
        """,
    "java": """
        java jvm maven gradle spring hibernate kotlin heap gc bean servlet tomcat classpath jar pom junit lombok
        """,
    "c": """
        c c++ cmake gcc clang pointer header linker abi sanitizer valgrind malloc free segfault std template
        undefined makefile
        """,
    "dotnet": "dotnet c# nuget linq entity blazor asp roslyn msbuild",
    "php": "php composer laravel symfony wordpress phpunit artisan doctrine",
    "ruby": "ruby rails gem gemfile bundler rspec activerecord sidekiq rake",
    "shell": """
        shell bash zsh script cron crontab pipe pipefail xargs sed awk grep find ssh stdin stdout heredoc quote
        exit rm sudo tee redirect env path rsync tar
        """,
    # building and delivering
    "packaging": """
        package packaging wheel sdist setup pyproject setuptools egg entry console distribution pypi pip uv poetry
        conda lockfile lock dependency requirements version pin resolver install editable manifest publish release
        yank semver
        """,
    "git": """
        git branch merge rebase squash commit blame bisect hook cherry submodule tag pull reflog lfs stash checkout
        gitignore
        """,
    "ci": """
        ci pipeline runner workflow github actions gitlab jenkins job artifact cache matrix build fork secret deploy
        release
        """,
    "testing": """
        test tests mock fixture flaky e2e playwright cypress selenium pytest jest vitest snapshot coverage stub fake
        assertion hypothesis sandbox xdist
        """,
    "documentation": """
        docs documentation readme changelog wiki guide screenshot markdown mkdocs sphinx release notes example link
        """,
    # operations
    "docker": """
        docker container image layer dockerfile compose registry alpine musl entrypoint volume buildkit
        """,
    "kubernetes": """
        kubernetes k8s pod deployment probe liveness readiness helm ingress namespace configmap node rollout cluster
        kubectl service replica hpa eviction sidecar statefulset
        """,
    "cloud": """
        terraform plan apply state provider module backend drift aws azure gcp s3 iam subnet vpc autoscaling ec2
        cloud lambda
        """,
    "network": """
        network http https tcp udp dns tls ssl proxy nginx socket port timeout keepalive balancer gateway connection
        latency retry ttl cdn certificate websocket curl ip nat response
        """,
    "observability": """
        log logging metric alert alarm trace tracing prometheus grafana monitor dashboard sentry sampling cardinality
        slo opentelemetry span
        """,
    "embedded": """
        firmware embedded interrupt watchdog bootloader flash eeprom uart i2c spi gpio adc dma rtos freertos cortex
        stm32 esp32 microcontroller sensor modem ota stack tick timer register mqtt battery
        """,
    # storing and moving data
    "database": """
        database db sql postgres postgresql mysql sqlite query index table row transaction vacuum migration replica
        column join constraint orm pgbouncer select insert update null deadlock sequence backup dump
        """,
    "cache": "cache redis memcached ttl evict eviction lru stampede invalidate hit miss",
    "queue": """
        queue message event kafka rabbitmq sqs consumer producer broker topic partition offset outbox letter publish
        subscribe relay worker idempotent registry job
        """,
    "search": """
        search elasticsearch opensearch lucene solr index mapping analyzer synonym stemming relevance shard alias
        reindex facet highlight autocomplete
        """,
    "data": """
        data pipeline etl warehouse airflow dbt spark parquet csv import export backfill batch bigquery snowflake load
        incremental dedupe row column duplicate schema
        """,
    "training": """
        ml model train training gpu cuda epoch batch loss gradient tensor pytorch torch tensorflow checkpoint dataset
        fp16 dataloader inference embedding accuracy overfit preprocessing
        """,
    "files": """
        file upload download s3 bucket storage blob presigned disk path filesystem rename fsync atomic backup restore
        multipart
        """,
    "encoding": """
        encoding utf unicode charset latin ascii bom umlaut normalization collation locale translation i18n mojibake
        emoji byte
        """,
    "time": """
        time date timezone zone utc clock dst day month calendar timestamp instant schedule cron datetime hour
        """,
    "concurrency": """
        thread lock mutex race deadlock concurrent parallel async await pool worker atomic semaphore blocking loop
        """,
    # what users see
    "css": """
        css scss sass flex grid margin viewport layout selector theme font style stylesheet dark contrast hover
        animation scroll overflow sticky
        """,
    "frontend": """
        html frontend react component state render form button page browser dom hydration ssr localstorage
        accessibility props memo
        """,
    "mobile": """
        mobile app phone device push notification background battery offline store permission rotation camera screen
        """,
    "android": """
        android kotlin gradle activity fragment viewmodel intent play apk jetpack compose adb emulator push fcm
        """,
    "ios": "ios swift xcode cocoapods apns keychain uikit swiftui iphone testflight",
    "api": """
        api rest graphql grpc protobuf proto openapi endpoint version pagination webhook schema client contract
        deprecate field limit json
        """,
    # what it is about
    "identity": """
        auth login session cookie token jwt oauth oidc password sso saml ldap csrf refresh logout user permission role
        scope sign identity mfa credential hash argon2 bcrypt
        """,
    "security": """
        security secret vulnerability injection xss ssrf csrf redirect attack leak encrypt sanitize escape cve
        permission private zip traversal hmac signature
        """,
    "payment": """
        payment invoice refund charge card stripe paypal checkout order billing subscription vat tax price currency
        cent money amount idempotency payout ledger webhook settlement
        """,
    "mail": "mail email smtp spf dkim dmarc bounce inbox newsletter imap attachment",
}
"""The words of each subject, lower case. A word may belong to several."""

_WORD = re.compile(r"[^\W_]+(?:\+\+|#)?")
LONGEST_TEXT = 2_000
"""Characters of a text whose words count."""

PRIOR = 50
"""
Lessons on all subjects that are added to the mean.

A few lessons may happen to be on one subject.
"""

USUAL = 0.12
"""The mean share of subjects, measured on the labelled starts."""

MAIN = 0.3
"""The least weight of a main subject."""

Subjects = Mapping[str, float]
"""The weights of subjects by name. Their squares add up to 1."""


def subjects_of(text: str) -> Subjects:
    """
    Return the subjects of *text*, empty without a word of any.

    A subject weighs the square of its number of words. A word of several counts in parts.

    Examples:
        >>> [*subjects_of("find . -print0 | xargs -0 rm")]
        ['shell']
    """
    counts = defaultdict[str, float](float)
    for word in dict.fromkeys(_WORD.findall(text[:LONGEST_TEXT].lower())):
        for subject in (found := _subjects_by_stem().get(stem(word), ())):
            counts[subject] += 1 / len(found)
    squares = {subject: count * count for subject, count in counts.items()}
    length = math.hypot(*squares.values())
    return {subject: square / length for subject, square in squares.items()}


def shared_subjects(work: Subjects, others: Mapping[int, Subjects]) -> Mapping[int, float]:
    """
    Return how much more than usual *others* share the subjects of *work*.

    Usual is their mean, so where all are on one subject, it says little. Values are in `[-1, 1]`; 0
    is unknown.
    """
    shared = {number: _cosine(work, subjects) for number, subjects in others.items() if subjects}
    total = math.fsum(shared.values()) + PRIOR * USUAL
    usual = total / (len(shared) + PRIOR) if work else 0.0
    return {number: shared.get(number, usual) - usual for number in others}


def words_of_subject(text: str) -> str:
    """Return the words of the main subject of *text*, empty without one."""
    weights = subjects_of(text)
    main = max(weights, key=lambda name: weights[name], default="")
    return " ".join(_SUBJECTS[main].split()) if weights.get(main, 0.0) >= MAIN else ""


def _cosine(one: Subjects, other: Subjects) -> float:
    return math.fsum(weight * other.get(name, 0.0) for name, weight in one.items())


@cache
def _subjects_by_stem() -> Mapping[str, tuple[str, ...]]:
    subjects = defaultdict[str, dict[str, None]](dict)
    for name, words in _SUBJECTS.items():
        for word in words.split():
            subjects[stem(word)][name] = None
    return {word: tuple(names) for word, names in subjects.items()}
