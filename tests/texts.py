# ruff: noqa: RUF001  # full-width commas are what Chinese and Japanese are written with
"""Hypothesis strategies: a text, and the same text in another spelling."""

import unicodedata
from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from tests.strategies import characters

Respell = Callable[[str], str]

LETTERS = "aAbiIsStu\u00df\u1e9e\u0130\u0131\u00fc\u00dc\u00e9\u0439\u03c2\u03a3\u03b0\u1fb3\ufb03\u00b2\u30ac\uac01\u212a\u017f\u0149\u01f0\u0587\u1e96"


def _full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _hyphenated(text: str) -> str:
    return "\u00ad".join(text)


RESPELLINGS: tuple[Respell, ...] = (
    *(
        lambda text, form=form: unicodedata.normalize(form, text)
        for form in ("NFC", "NFD", "NFKC", "NFKD")
    ),
    str.upper,
    str.lower,
    str.casefold,
    _full_width,
    _hyphenated,
)

letters = st.sampled_from(LETTERS) | st.characters(categories=["L", "N"])
words = st.text(letters, min_size=1, max_size=6)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
SPACES = (" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\n\n")
LINES = ("\n> ", "\n>> ", "\n# ", "\n   // ", "\n * ", "\n-- ", "\n- ", "** ", " `")
any_text = st.text(characters, max_size=20)


@st.composite
def spelled(draw: st.DrawFn, gaps: tuple[str, ...] = SPACES + LINES) -> tuple[str, str]:
    """Draw a phrase of at least four characters, and another spelling of it with *gaps* between its words."""
    phrase = draw(phrases.filter(lambda drawn: len(unicodedata.normalize("NFC", drawn)) > 3))
    respelled = phrase
    for respell in draw(st.lists(st.sampled_from(RESPELLINGS), max_size=3)):
        respelled = respell(respelled)
    parts = respelled.split(" ")
    return phrase, "".join(part + draw(st.sampled_from(gaps)) for part in parts[:-1]) + parts[-1]


def conflict(ours: str, theirs: str, base: str | None = None, end: str = "\n") -> str:
    """Return both sides between markers; with a *base* as `merge.conflictStyle=diff3` does it."""
    middle = f"||||||| 1234567{end}{base}{end}" if base is not None else ""
    return (
        f"<<<<<<< HEAD{end}{ours}{end}{middle}======={end}{theirs}{end}>>>>>>> feature/parser{end}"
    )


CHINESE: Mapping[str, tuple[str, ...]] = {
    "升级网关以后要重新加载限流规则，不然默认值会放行所有请求": ("限流", "放行", "网关"),
    "对账脚本按自然日切分，跨零点的退款会漏掉": ("退款", "对账脚本", "零点"),
    "缩略图任务占满磁盘时先暂停队列，再扩容": ("缩略图", "磁盘", "扩容"),
    "模型权重放在对象存储，启动时校验摘要": ("权重", "对象存储", "摘要"),
    "慢查询多半来自缺少联合索引的报表页面": ("慢查询", "联合索引"),
    "邮件模板里的变量名区分大小写，写错不会报错": ("模板", "大小写", "变量名"),
    "推送通知在凌晨合并发送，避免打扰用户": ("推送", "凌晨"),
    "流水线里的密钥只能从保险库读取，不许写进镜像": ("密钥", "保险库", "镜像"),
    "压测之前关闭自动扩缩，否则结果没有意义": ("压测", "自动扩缩"),
    "购物车合并时以服务器数量为准": ("购物车", "服务器"),
    "快照恢复后要重建全文检索，旧的词典不兼容": ("快照", "词典", "全文检索"),
    "国际化文案缺失时显示英文，不显示键名": ("国际化", "键名"),
    "线程池拒绝策略改成调用者执行，任务才不会丢": ("线程池", "拒绝策略"),
    "浏览器缩放比例不是整数时表格边框会消失": ("浏览器", "边框", "缩放比例"),
    "发票抬头修改必须留痕，保存前后两个版本": ("发票", "抬头", "留痕"),
    "kafka分区数不能减少，只能新建主题再迁移": ("kafka", "分区", "迁移"),
    "手机号登录要限制每小时五次验证": ("手机号", "登录"),
    "打包产物不要提交，由构建机上传制品仓库": ("产物", "制品仓库"),
    "树形菜单一次查出全部节点，再在内存里组装": ("菜单", "节点", "组装"),
    "域名切换前把解析生存期降到六十秒": ("域名", "解析"),
}

JAPANESE: Mapping[str, tuple[str, ...]] = {
    "リリース前に機能フラグを必ず無効へ戻す": ("機能フラグ", "リリース", "無効"),
    "夜間集計は排他ロックを取るので画面更新が待たされる": ("夜間集計", "排他ロック", "画面更新"),
    "添付ファイルの拡張子だけを信用せず中身を検査する": ("添付ファイル", "拡張子", "検査"),
    "監視の閾値は曜日ごとに変える": ("監視", "閾値", "曜日"),
    "ログイン画面の翻訳漏れは公開前に一覧で確認する": ("翻訳漏れ", "ログイン画面"),
    "在庫数の更新は楽観ロックで行い、失敗したら再試行する": ("在庫数", "楽観ロック", "再試行"),
    "メール送信の上限は一時間に五百通まで": ("メール送信", "上限"),
    "古い端末では暗号方式の交渉に失敗する": ("暗号方式", "端末", "交渉"),
    "印刷用の帳票は余白を五ミリ以上にする": ("帳票", "余白", "印刷"),
    "テスト用の証明書は毎月一日に作り直す": ("証明書", "作り直す"),
    "検索候補は入力が止まって二百ミリ秒後に出す": ("検索候補", "入力"),
    "移行スクリプトは二回流しても壊れないように書く": ("移行スクリプト", "二回"),
}
