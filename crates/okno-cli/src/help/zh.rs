//! Every help text in Chinese: of commands by their path, of arguments by their command and id, of values by their
//! name.

/// What a command does.
pub fn command(path: &str) -> Option<&'static str> {
    COMMANDS.iter().find(|(known, _)| *known == path).map(|(_, about)| *about)
}

/// What an argument of a command is for.
pub fn argument(path: &str, id: &str) -> Option<&'static str> {
    let is_meant = |(paths, known, _): &&ArgumentText| *known == id && (paths.is_empty() || paths.contains(&path));
    ARGUMENTS.iter().find(is_meant).map(|(.., help)| *help)
}

/// What a possible value of an argument means.
pub fn possible_value(id: &str, value: &str) -> Option<&'static str> {
    POSSIBLE_VALUES.iter().find(|(of, known, _)| *of == id && *known == value).map(|(.., help)| *help)
}

/// The placeholder for a value.
pub fn value_name(name: &str) -> Option<&'static str> {
    VALUE_NAMES.iter().find(|(known, _)| *known == name).map(|(_, chinese)| *chinese)
}

/// The commands by their path below `okno`.
pub const COMMANDS: &[(&str, &str)] = &[
    ("", "搜索自己的文档，返回准确、有出处的段落；支持中英文，离线可用"),
    ("index", "把文件、文件夹和网址加入索引并更新；不给路径时，更新以前加入的全部内容"),
    ("search", "查找能回答问题的段落 [别名：s]"),
    ("ask", "用文字回答问题，并注明所依据的原文"),
    ("compare", "用多个方案搜索同一个问题，并排显示结果"),
    ("eval", "用已知答案的问题评测方案"),
    ("runs", "列出、比较和删除保存的评测"),
    ("runs compare", "比较两次评测，或各自的一个方案：`monday tuesday`、`monday/auto tuesday/window`"),
    ("runs remove", "删除评测"),
    ("runs reset", "删除全部评测"),
    ("questions", "从自己的文档生成题集"),
    ("questions make", "从索引的文档生成问题，每题注明答案的位置"),
    ("tune", "为这些文档寻找更好的方案"),
    ("feedback", "记录哪些上下文有用，供 `okno tune --from-feedback` 使用"),
    ("feedback add", "记录一个问题的哪些上下文有用：用 `okno search` 中的编号，或用文档和位置"),
    ("feedback list", "显示全部反馈"),
    ("feedback export", "把全部反馈以 JSON Lines 格式写入文件"),
    ("feedback remove", "删除反馈"),
    ("status", "显示索引的内容和建立方式"),
    ("check", "检查索引与存入时是否一致：文本、向量、图像、词语及其相互引用"),
    ("backup", "把索引写入一个文件并检查；其他进程正在写入索引时也可以"),
    ("restore", "由备份恢复索引到空文件夹：`--index 目录`，或此处的 `.okno`"),
    ("documents", "列出索引中的文档"),
    ("show", "显示文档、文档的一部分，或索引中的图像"),
    ("remove", "从索引中移除文档，直到其内容改变"),
    ("sql", "用只读 SQL 查询索引文档或文件中的表格；不给查询时列出表格"),
    ("derive", "生成用来查找段落的文本：摘要、问题、描述、上下文"),
    ("units", "列出派生单元：代替原段落被搜索的文本"),
    ("import-units", "把派生单元（摘要、问题、描述）加入索引中的文档"),
    ("recipes", "列出内置和自定义的方案：各自搜索什么、返回什么、代价多大"),
    ("config", "显示每项设置及其来源：环境变量、索引旁的 `okno.toml`、用户配置文件、默认值"),
    ("copy", "把索引复制到另一个文件夹，或在文件夹与服务器之间复制，无需重新计算向量"),
    ("split", "把文件切分成精确的片段并显示，不需要索引"),
    ("serve", "运行 HTTP 服务：API、网页，以及供智能体使用的 MCP；多个索引：`--index 名称=目录`"),
    ("keys", "生成、列出和撤销 `okno serve` 的密钥，每个密钥有名称、角色和期限"),
    ("keys make", "生成并显示一个密钥；密钥不会保存，以后无法再次显示"),
    ("keys list", "列出密钥的名称、角色和日期，不显示密钥本身"),
    ("keys revoke", "撤销密钥；运行中的服务立即拒绝它"),
    ("probe-upload", "在内存限制下读取文件，以查看进程是否异常结束；由 `okno serve` 运行"),
    ("mcp", "在标准输入输出上运行 MCP 服务"),
    ("load", "显示从文件或文件夹中读到的内容：文本、结构和元数据，不需要索引"),
    ("models", "列出、下载、添加、删除和查看模型"),
    ("models list", "列出已知的模型，以及哪些已经安装"),
    ("models pull", "从模型站下载已知的模型（可用 `OKNO_HUB` 指定镜像）；中断后可继续"),
    ("models add", "从文件夹、`.zip`、`.jar`、`.whl`、`.tgz` 或 `.tar.gz` 添加权重"),
    ("models remove", "删除模型"),
    ("models info", "显示模型的信息并检查其文件"),
    ("reembed", "更换索引的嵌入模型，无需重新读取文件"),
    ("embed", "把标准输入的每一行变成向量"),
    ("demo", "索引一小份中英文样例并搜索"),
    ("help", "显示本帮助，或某个命令的帮助"),
];

/// The commands that take it – all if there is none –, its id, and its help. A second paragraph is shown by `--help`
/// only.
pub type ArgumentText = (&'static [&'static str], &'static str, &'static str);

/// The commands that search.
const SEARCHING: &[&str] = &["search", "ask", "compare", "feedback add"];

/// The arguments.
pub const ARGUMENTS: &[ArgumentText] = &[
    (&["probe-upload"], "memory", "读取可占用的内存字节数"),
    (&["probe-upload"], "name", "文件名"),
    (&["probe-upload"], "file", "不从标准输入读取时的文件"),
    (&["backup"], "file", "要写入的文件；已有的文件在新备份完整并检查无误后才被替换"),
    (&["restore"], "file", "`okno backup` 写成的文件"),
    (&["keys make"], "name", "名称：由谁或什么程序使用"),
    (&["keys make"], "role", "持有者可以做什么"),
    (&["keys make"], "expires", "可用的最后一天（UTC），例如 `2027-01-31` [默认：直到撤销]"),
    (&["keys make"], "groups", "持有者的用户组，以逗号分隔：可看到面向所有人的文档，以及面向这些组的文档"),
    (&["keys revoke"], "name", "密钥的名称"),
    (&["check"], "repair", "移除损坏的部分，由其余内容重建，并重新读取损坏文档的文件"),
    // Every command.
    (&[], "index", "索引文件夹；`search`、`serve` 和 `mcp` 可以给出多个 [默认：当前或上级文件夹中最近的 `.okno`]"),
    (
        &[],
        "store",
        "用服务器上的索引代替文件夹：`opensearch://host:9200,host2:9200/name` 或 `milvus://host:19530/name`",
    ),
    (&[], "lang", "帮助和消息的语言 [默认：按系统区域设置]"),
    (&[], "json", "以 JSON 格式输出数据"),
    (&[], "help", "显示帮助（`-h` 显示摘要）"),
    (&[], "version", "显示版本"),
    // How a question is searched.
    (SEARCHING, "window", "返回每个匹配的句子及其前后各若干个句子"),
    (SEARCHING, "neighbors", "返回每个分块及其前后各若干个分块（除非另行指定，使用方案 `neighbors`）"),
    (
        SEARCHING,
        "expand",
        "每个匹配返回多少上下文\n\n- auto：自动，在预算内返回最相关的句子\n- none：只返回匹配的句子\n\
         - window:N：前后各 N 个句子\n- neighbors:N：前后各 N 个分块\n\
         - parent：包含匹配内容的大分块\n- section：整节\n- document：整个文档",
    ),
    (SEARCHING, "legs", "按字词、按语义，或两者都用来搜索 [默认：两者]"),
    (SEARCHING, "budget", "上下文的最大长度：`500` 或 `500t` 个词元，`2000c` 个字符"),
    (SEARCHING, "diversity", "对重复更佳匹配内容的惩罚，从 0（无）到 1"),
    (
        SEARCHING,
        "rerank",
        "重排最佳匹配：`okno models list` 中的重排模型，`maxsim:名称` 用嵌入模型，`model` 用语言模型，或 `none`",
    ),
    (SEARCHING, "rerank_depth", "重排多少个匹配 [默认：方案的设置，30]"),
    (SEARCHING, "rerank_blend", "重排得分相对于搜索得分的权重，从 0 到 1 [默认：方案的设置，0.5]"),
    (SEARCHING, "order", "上下文的顺序"),
    (SEARCHING, "filter", "只搜索符合条件的文档，例如 `category = 素菜 and year >= 2023`"),
    (SEARCHING, "no_auto_filter", "不从问题中推断过滤条件"),
    (SEARCHING, "filter_by", "如何从问题中推断过滤条件"),
    (
        SEARCHING,
        "transform",
        "语言模型如何处理问题，代替方案的步骤：rewrite、decompose、step-back、multi-query、hyde；none",
    ),
    (SEARCHING, "post_filter", "在扩展之前，让语言模型去掉无关的匹配"),
    (SEARCHING, "route", "搜索方式：auto（由规则选择）、hybrid、lexical、dense、broad，或 model（由语言模型选择）"),
    (SEARCHING, "k", "扩展多少个不同的匹配"),
    (SEARCHING, "min_relevance", "只返回相关度不低于此值的上下文，从 0（全部）到 1；0.5 及以上视为相关"),
    (SEARCHING, "question", "问题"),
    (&["search", "ask"], "recipe", "方案 [默认：索引自己的方案]"),
    // search
    (
        &["search"],
        "queries",
        "搜索许多问题：JSON Lines 文件，每行有 `question`，可有 `qid` 和 `filter`；每题输出一行 JSON",
    ),
    (&["search"], "explain", "显示每个结果是如何找到的：途径、排名、得分和扩展"),
    (&["search"], "all", "同时显示不相关的结果"),
    // ask
    (&["ask"], "continued", "接着与此索引的上一次对话提问：“那要多久呢？”"),
    (&["ask"], "no_stream", "回答完成后再显示，而不是边生成边显示"),
    (&["ask"], "show_prompt", "显示提示词，但不发送"),
    (&["ask"], "no_model", "即使设置了语言模型，也只用文档中的句子回答"),
    // compare
    (&["compare"], "recipes", "方案"),
    (&["compare"], "gold", "期望的答案：显示哪个方案返回了它，在哪个句子中"),
    (&["compare"], "html", "写入 HTML 页面，而不是直接显示"),
    // index
    (&["index"], "paths", "文件、文件夹和网址；跳过隐藏文件以及 `.gitignore` 或 `.oknoignore` 中列出的文件"),
    (&["index"], "recipe", "搜索此索引时的默认方案"),
    (&["index"], "splitter", "方案 `neighbors` 搜索什么（`chunk` 另见 --size 和 --overlap）；并使其成为默认方案"),
    (&["index"], "size", "分块大小：`400` 或 `400c` 个字符，`512t` 个词元"),
    (&["index"], "overlap", "每个分块重复前一个分块的多少内容，单位同 --size"),
    (&["index"], "preset", "适合某类文档的分块大小和相邻分块数；并使 `neighbors` 成为默认方案"),
    (&["index"], "max_file_size", "跳过大于此值的文件 [默认：64MB]"),
    (&["index", "load"], "jsonl_fields", "JSON Lines 的哪些字段存放什么"),
    (&["index", "load"], "lines", "把纯文本文件的每一行当作一个文档"),
    (&["index"], "strict", "有文件被跳过时视为失败"),
    (&["index"], "watch", "持续运行，文件变化时更新索引，直到按 Ctrl-C"),
    (
        &["index"],
        "stdin",
        "从标准输入加入文档，每行一个含 `id`、`text`、`title` 和 `metadata` 的 JSON 对象；已有的 `id` 会被替换",
    ),
    (&["index"], "urls", "同时索引此文件中的网址，每行一个"),
    (&["index"], "embedder", "新索引的嵌入模型：`builtin`、`okno models list` 中的模型、`service` 或 `service:模型`"),
    (&["index"], "allow_private", "允许访问本机和内网的网址"),
    // eval
    (&["eval"], "set", "含有 `corpus.jsonl` 和 `queries.jsonl` 的文件夹，或针对索引的问题文件（JSON Lines、CSV、TSV）"),
    (&["eval"], "recipes", "要评测的方案 [默认：全部]"),
    (
        &["eval"],
        "transform",
        "同时评测每个方案加上语言模型的这些步骤：rewrite、decompose、step-back、multi-query、hyde、filter、route、\
         post-filter",
    ),
    (&["eval"], "budget", "以词元计的预算；每个方案在每个预算下评测一次"),
    (&["eval"], "report", "写入 HTML 报告"),
    (&["eval"], "name", "以此名称保存结果，供 `okno runs` 使用"),
    (&["eval"], "seed", "随机种子；种子相同则置信区间相同"),
    (&["eval"], "judge", "让语言模型回答，并评判回答：是否有依据，是否回答了问题，上下文是否相关"),
    (&["eval"], "judge_questions", "每个方案和预算回答并评判多少个问题，从题集开头算起"),
    // runs
    (&["runs", "runs compare", "runs remove", "runs reset"], "budget", "按此预算排名 [默认：每次评测中最小的]"),
    (&["runs compare"], "one", "一次评测，或 `评测/方案`"),
    (&["runs compare"], "other", "与之比较的评测"),
    (&["runs remove"], "names", "评测的名称"),
    // questions
    (&["questions make"], "out", "要写入的文件，JSON Lines 格式"),
    (&["questions make"], "count", "最多多少个问题"),
    (&["questions make"], "by", "如何生成问题"),
    (&["questions make"], "seed", "随机种子；种子相同则问题相同"),
    // tune
    (&["tune"], "set", "题集，同 `okno eval`"),
    (&["tune"], "from_feedback", "用记录的反馈（`okno feedback`）代替题集"),
    (&["tune"], "budget", "以词元计的预算；以各预算的平均值为准"),
    (&["tune"], "reference", "要改进的方案 [默认：索引自己的方案]"),
    (&["tune"], "out", "写入新方案的配置文件 [默认：索引旁的 `okno.toml`]"),
    (&["tune"], "recipe_name", "新方案的名称"),
    (&["tune"], "seed", "随机种子：决定哪些问题用于调优，哪些用于检验"),
    // feedback
    (&["feedback add"], "useful", "有用的上下文的编号"),
    (&["feedback add"], "not_useful", "没有用的上下文的编号"),
    (&["feedback add"], "document", "用位置代替编号：文档"),
    (&["feedback add"], "start", "位置的第一个字符（码点）"),
    (&["feedback add"], "end", "位置的结尾：最后一个字符之后"),
    (&["feedback add"], "verdict", "该位置是否有用"),
    (&["feedback add"], "recipe", "所用的方案 [默认：索引自己的方案]"),
    (&["feedback export"], "out", "文件"),
    (&["feedback remove"], "question", "关于此问题的反馈"),
    (&["feedback remove"], "all", "全部反馈"),
    // documents, show, remove
    (&["documents"], "filter", "只列出符合条件的文档"),
    (&["show"], "document", "文档的名称，如 `okno documents` 所示"),
    (&["show"], "start", "第一个字符（码点）"),
    (&["show"], "end", "最后一个字符之后"),
    (&["show"], "image", "显示哈希为此值的图像，哈希见 `okno search --json` 的输出"),
    (&["show"], "out", "把图像写入此文件，而不是标准输出"),
    (&["remove"], "documents", "文档的名称，如 `okno documents` 所示"),
    (&["remove"], "root", "移除随此文件夹或文件加入的全部内容，并不再索引它"),
    // sql
    (&["sql"], "query", "一条 SELECT 语句"),
    (&["sql"], "from", "用含有表格的文件（CSV、XLSX、Markdown、HTML、SQLite……）代替索引"),
    (&["sql"], "ask", "用文字提问：语言模型写出 SELECT，执行前先显示"),
    (&["sql"], "yes", "不经确认就执行模型写的语句"),
    (&["sql"], "limit", "最多显示多少行"),
    (&["sql"], "seconds", "时间上限，以秒计"),
    // derive, import-units
    (
        &["derive"],
        "kinds",
        "生成什么：summary（摘要）、question（问题，每个大分块四个）、table（表格描述）、image（图像描述，需要能看图的\
         模型）、context（说明分块位置的一句话）",
    ),
    (&["derive"], "filter", "只处理符合条件的文档"),
    (&["derive"], "parent", "摘要和问题针对的段落"),
    (&["derive"], "chunk", "上下文说明针对的段落"),
    (&["derive"], "extractive", "用段落中的句子作摘要，不用语言模型"),
    (&["derive"], "again", "替换已有的单元"),
    (&["derive"], "dry_run", "只显示将生成什么和估计的词元数，不生成"),
    (
        &["import-units"],
        "file",
        "JSON Lines 文件，每行有 `document`、`layer`、`text`，只针对文档的一部分时还有 `start` 和 `end`；`-` 表示标准\
         输入",
    ),
    // copy, split
    (&["copy"], "from", "要复制的索引：文件夹，或服务器上索引的地址（同 `--store`）"),
    (&["copy"], "to", "复制到：文件夹或地址；中断的复制会继续"),
    (&["copy"], "no_verify", "复制后不核对两个索引"),
    (&["split"], "file", "文件：`okno index` 能读的任何文件，或每行为 `{id, text}` 的 JSON Lines；`-` 表示标准输入"),
    (
        &["split"],
        "splitter",
        "切分方式：sentence、sentences:3、window:2、paragraph、section、chunk:400c/200c、words:200/40、chars:400/200、\
         recursive:3000c/300c、tokens:512t/64t、markdown、html、semantic:95p/3000c、hierarchy:3000c/500c、code:1500c",
    ),
    (&["split"], "preset", "适合某类文档的分块，同 `okno index`"),
    (&["split"], "lines", "显示每段的行号"),
    // serve
    (&["serve"], "host", "监听的 IP 地址；其他机器能访问的地址需要密钥"),
    (&["serve"], "port", "端口；0 表示任选一个空闲端口"),
    (
        &["serve"],
        "api_key_file",
        "存放密钥的文件，该密钥可做任何事 [默认：环境变量 `OKNO_API_KEY`，如果已设置]；另见 `okno keys`",
    ),
    (
        &["serve"],
        "groups_header",
        "信任代理在此标头中给出的请求者用户组，例如 `X-Groups`；代理必须替换客户端发送的同名标头",
    ),
    (&["serve"], "cors", "允许此来源的网页发出请求，例如 `https://notes.example`"),
    (&["serve"], "allow", "除已索引的文件外，允许请求索引此文件夹中的文件"),
    (&["serve"], "rate", "每个密钥可发送的请求数，例如 `60/min`；超出的请求得到 429"),
    (&["serve"], "upload_quota", "每个密钥可上传的数据量，例如 `500MB/day`"),
    (&["serve"], "tls_cert", "用此证书提供 HTTPS（PEM 格式，含上级证书）；文件更改后重新读取"),
    (&["serve"], "tls_key", "证书的私钥（PEM 格式）"),
    (&["serve"], "audit", "为每个请求在此文件中写一行 JSON：时间、密钥、地址、文档"),
    (&["serve"], "audit_questions", "审计日志中也写入问题"),
    (&["serve"], "log", "日志格式；`OKNO_LOG` 设置日志级别"),
    // load
    (&["load"], "path", "文件或文件夹"),
    (&["load"], "max_file_size", "跳过大于此值的文件，例如 `64MB`"),
    // models, reembed
    (&["models pull", "models remove", "models info"], "name", "模型的名称"),
    (&["models add"], "name", "模型的名称；不在列表中的名称成为自定义模型"),
    (&["models add"], "path", "安装包或文件夹"),
    (&["models add"], "file", "有多个权重文件时，使用哪一个"),
    (&["models add"], "kind", "自定义模型的用途"),
    (&["models add"], "pooling", "如何由词元向量得到文本向量"),
    (&["models add"], "query_prefix", "模型要求加在问题前的文字"),
    (&["models add"], "passage_prefix", "模型要求加在段落前的文字"),
    (&["models add"], "max_tokens", "文本的最大长度；更长的会被截断"),
    (&["reembed"], "embedder", "嵌入模型：`builtin`、`okno models list` 中的模型、`service` 或 `service:模型`"),
];

/// The possible values of an argument: its id, the value, what it means.
pub const POSSIBLE_VALUES: &[(&str, &str, &str)] = &[
    ("lang", "en", "英文"),
    ("lang", "zh", "中文"),
    ("role", "search", "搜索、提问和阅读文档"),
    ("role", "add", "以上各项，并可上传文档"),
    ("role", "administer", "一切操作：还包括移除文档、启动和停止任务、查看反馈"),
    ("legs", "dense", "按语义"),
    ("legs", "lexical", "按字词"),
    ("order", "score", "最相关的在前"),
    ("order", "document", "按在文档中出现的顺序"),
    ("order", "ends", "最相关的在首尾，最弱的在中间"),
    ("filter_by", "rules", "由规则推断，不用语言模型"),
    ("filter_by", "model", "由语言模型推断，并与索引核对"),
    ("splitter", "sentence", "单个句子"),
    ("splitter", "chunk", "不超过一定大小的连续完整句子"),
    ("preset", "faq", "问答、新闻：250 个字符，相邻一个分块"),
    ("preset", "docs", "技术文档：500 个字符，相邻一个分块"),
    ("preset", "paper", "论文：700 个字符，相邻两个分块"),
    ("by", "rules", "由规则根据标题、列表和数字生成，不用语言模型"),
    ("by", "model", "由语言模型生成，并核对答案"),
    ("verdict", "useful", "有用"),
    ("verdict", "not-useful", "没有用"),
    ("log", "text", "普通文本行"),
    ("log", "json", "每行一个 JSON 对象"),
    ("kind", "embedder", "把文本变成向量"),
    ("kind", "reranker", "为问题和段落打分"),
    ("pooling", "cls", "第一个词元的向量"),
    ("pooling", "mean", "所有词元向量的平均"),
];

/// The placeholders for values.
pub const VALUE_NAMES: &[(&str, &str)] = &[
    ("A,B,…", "甲,乙,…"),
    ("ADDRESS", "地址"),
    ("BYTES", "字节数"),
    ("COUNT", "数量"),
    ("DATE", "日期"),
    ("DIR", "目录"),
    ("DIR|ADDRESS", "目录|地址"),
    ("DOCUMENT", "文档"),
    ("DOCUMENTS", "文档"),
    ("END", "结尾"),
    ("EXPANSION", "扩展方式"),
    ("FILE", "文件"),
    ("FILE.html", "文件.html"),
    ("FILTER", "条件"),
    ("FOLDER", "文件夹"),
    ("HEADER", "请求头"),
    ("GROUPS", "用户组"),
    ("FORMAT", "格式"),
    ("HASH", "哈希"),
    ("K", "数量"),
    ("KIND", "种类"),
    ("KIND,…", "种类,…"),
    ("LANG", "语言"),
    ("LAYER", "层"),
    ("LEG", "途径"),
    ("METHOD", "方法"),
    ("N", "数量"),
    ("N,…", "编号,…"),
    ("NAME", "名称"),
    ("NAMES", "名称"),
    ("ONE", "评测"),
    ("ORDER", "顺序"),
    ("ORIGIN", "来源"),
    ("OTHER", "另一评测"),
    ("PATH", "路径"),
    ("PATHS", "路径"),
    ("POOLING", "方式"),
    ("PORT", "端口"),
    ("RATE", "速率"),
    ("PRESET", "预设"),
    ("QUERY", "查询"),
    ("QUESTION", "问题"),
    ("RECIPE", "方案"),
    ("ROLE", "角色"),
    ("ROUTE", "方式"),
    ("RUN", "评测"),
    ("S", "秒"),
    ("SCORE", "相关度"),
    ("SEED", "种子"),
    ("SET", "题集"),
    ("SHARE", "比例"),
    ("SIZE", "大小"),
    ("SPLITTER", "切分方式"),
    ("START", "开头"),
    ("STEP,…", "步骤,…"),
    ("TEXT", "文本"),
    ("TOKENS", "词元数"),
    ("TOKENS,…", "词元数,…"),
    ("VERDICT", "评价"),
    ("WEIGHT", "权重"),
    ("id=doc_id,text=body,…", "id=doc_id,text=body,…"),
];
