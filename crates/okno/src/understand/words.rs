//! The words this stage knows, in folded form (lower case, Simplified). Few and general: what an
//! index calls its own things comes from its catalogue, not from here.

/// Groups of words that mean the same degree or kind; a question's word is read as the index's value of the same group.
pub const SYNONYMS: &[&[&str]] = &[
    EASY,
    &["中等", "普通", "medium", "intermediate", "moderate"],
    HARD,
    &["汤", "汤品", "汤羹", "汤类", "汤菜", "soup", "soups"],
    &["素菜", "素食", "蔬菜类", "vegetarian", "vegetable dish", "vegetable dishes"],
    &["荤菜", "肉菜", "肉类", "meat dish", "meat dishes", "meat"],
    &["甜品", "甜点", "dessert", "desserts"],
    &["饮品", "饮料", "drink", "drinks", "beverage", "beverages"],
    &["早餐", "早饭", "breakfast"],
    &["水产", "海鲜", "seafood"],
    &["财报", "财务报告", "业绩报告", "financial report", "financial reports", "earnings report", "earnings reports"],
    &["新闻", "news"],
];

/// Easy: also the lower third of a number called difficulty or level.
pub const EASY: &[&str] = &[
    "简单",
    "容易",
    "初级",
    "入门",
    "新手",
    "初学者",
    "零基础",
    "easy",
    "simple",
    "beginner",
    "beginners",
    "novice",
    "novices",
];

/// Hard: also the upper third.
pub const HARD: &[&str] = &["困难", "复杂", "高难度", "高级", "进阶", "hard", "difficult", "advanced", "expert"];

/// What a number is called that says how hard something is.
pub const DIFFICULTY_NAMES: &[&str] = &["difficulty", "level", "难度", "难度等级", "星级"];

/// What documents are called.
pub const DOCUMENTS: &[&str] = &[
    "文档",
    "文件",
    "文章",
    "报告",
    "财报",
    "年报",
    "季报",
    "资料",
    "记录",
    "新闻",
    "邮件",
    "笔记",
    "纪要",
    "会议纪要",
    "论文",
    "菜谱",
    "食谱",
    "菜",
    "菜肴",
    "帖子",
    "博客",
    "公告",
    "通知",
    "报道",
    "document",
    "documents",
    "doc",
    "docs",
    "file",
    "files",
    "article",
    "articles",
    "report",
    "reports",
    "paper",
    "papers",
    "note",
    "notes",
    "email",
    "emails",
    "message",
    "messages",
    "post",
    "posts",
    "news",
    "minutes",
    "memo",
    "memos",
    "recipe",
    "recipes",
    "dish",
    "dishes",
    "record",
    "records",
    "page",
    "pages",
    "announcement",
    "announcements",
    "filing",
    "filings",
    "story",
    "stories",
    "entry",
    "entries",
];

/// What is done to documents at their time.
pub const WRITTEN: &[&str] = &[
    "发布",
    "发表",
    "出版",
    "撰写",
    "写",
    "写于",
    "写的",
    "刊登",
    "published",
    "written",
    "posted",
    "dated",
    "filed",
    "created",
];

/// What is done to files at theirs.
pub const CHANGED: &[&str] = &["修改", "更新", "改动", "modified", "updated", "changed", "edited"];

/// In what a document says: after a value that names documents.
pub const INSIDE: &[&str] = &["中", "里", "里面", "当中", "之中", "内", "中的", "里的"];

/// Words of asking: without them and the documents' own names nothing is said about content.
pub const ASKING: &[&str] = &[
    "请",
    "请问",
    "帮我",
    "麻烦",
    "给我",
    "我想",
    "我要",
    "想",
    "能不能",
    "可以",
    "总结一下",
    "总结",
    "概括一下",
    "概括",
    "概述",
    "介绍一下",
    "介绍",
    "说说",
    "讲讲",
    "推荐一下",
    "推荐",
    "推荐几道",
    "列出",
    "列举",
    "找",
    "找出",
    "查找",
    "看看",
    "来",
    "来点",
    "有什么",
    "有哪些",
    "有没有",
    "哪些",
    "哪几",
    "什么",
    "几道",
    "几个",
    "几种",
    "几篇",
    "几份",
    "一些",
    "一道",
    "一个",
    "一份",
    "一篇",
    "适合",
    "适合做",
    "做",
    "吃",
    "喝",
    "吃什么",
    "喝什么",
    "今天",
    "今晚",
    "明天",
    "的",
    "了",
    "吗",
    "呢",
    "吧",
    "呀",
    "啊",
    "我",
    "人",
    "能",
    "please",
    "can you",
    "could you",
    "tell me",
    "give me",
    "show me",
    "show",
    "find me",
    "find",
    "list",
    "recommend",
    "suggest",
    "summarize",
    "summarise",
    "get",
    "what",
    "which",
    "are there",
    "are",
    "is",
    "there",
    "any",
    "some",
    "all",
    "the",
    "a",
    "an",
    "me",
    "i",
    "we",
    "want",
    "need",
    "for",
    "of",
    "in",
    "from",
    "good",
    "suitable",
    "do",
    "have",
    "today",
    "tonight",
    "my",
    "our",
    "that",
    "to",
    "with",
];

/// What asks for things of a kind, right before the kind.
pub const BEFORE_A_KIND: &[&str] = &[
    "推荐",
    "几道",
    "几个",
    "几种",
    "几篇",
    "几份",
    "哪些",
    "哪几道",
    "哪几个",
    "什么",
    "一些",
    "一道",
    "一份",
    "一篇",
    "列出",
    "来点",
    "来道",
    "来个",
    "找",
    "适合",
    "所有",
    "全部",
    "recommend",
    "suggest",
    "list",
    "some",
    "any",
    "which",
    "what",
    "all",
    "show me",
    "give me",
    "find",
    "find me",
    "for",
];

/// The same, right after the kind.
pub const AFTER_A_KIND: &[&str] = &["有哪些", "有什么", "有几", "推荐", "哪个好"];

/// What begins a question that asks for things of the kind it ends with.
pub const ASKS_FOR_THINGS: &[&str] =
    &["推荐", "列出", "列举", "找", "有什么", "有哪些", "有没有", "来", "recommend", "list", "find", "show"];

/// What may follow the end of a name in Chinese: not the rest of a longer word.
pub const AFTER_A_NAME: &[&str] = &[
    "的", "中", "里", "内", "有", "是", "和", "或", "与", "及", "怎么", "如何", "吗", "呢", "吧", "呀", "啊", "了",
    "都", "关于", "可以", "推荐", "好",
];

/// What turns a mention into its opposite.
pub const NEGATIONS: &[&str] = &[
    "不",
    "非",
    "不是",
    "不要",
    "不含",
    "除了",
    "除",
    "没有",
    "无",
    "别",
    "not",
    "no",
    "non",
    "without",
    "except",
    "excluding",
    "other than",
    "besides",
    "outside",
    "don't",
    "doesn't",
    "didn't",
    "isn't",
    "aren't",
    "never",
];

/// Small words that belong to a reading and go with it: before it …
pub const GOES_BEFORE: &[&str] = &[
    "在", "于", "自", "从", "对", "的", "in the", "from the", "of the", "on the", "in", "from", "of", "on", "by",
    "during", "for", "the",
];

/// … and after it.
pub const GOES_AFTER: &[&str] = &["中的", "里的", "里面的", "中", "里", "里面", "当中", "之中", "内", "的", "'s"];

/// What ties a field's name to its value.
pub const TIES: &[&str] = &["是", "为", "叫", ":", "=", "属于"];

/// How fields of time may be called.
pub const YEAR_NAMES: &[&str] = &["year", "年份", "年度", "年", "fiscal_year", "fiscal year", "财年"];
/// Quarters.
pub const QUARTER_NAMES: &[&str] = &["quarter", "季度", "季", "fiscal_quarter"];
/// Months.
pub const MONTH_NAMES: &[&str] = &["month", "月份", "月"];

/// Facts about the file, not about what it says: read only where the question speaks of files.
pub const ABOUT_THE_FILE: &[&str] = &["modified", "size", "type", "language", "file", "path", "created_by"];

/// What opens a request and says nothing about content; taken off where a filter was read.
pub const LEADS: &[&str] = &[
    "请",
    "请问",
    "帮我",
    "麻烦",
    "给我",
    "我想",
    "我想看",
    "我想知道",
    "想",
    "总结一下",
    "总结",
    "概括一下",
    "概括",
    "介绍一下",
    "说说",
    "讲讲",
    "推荐一下",
    "推荐",
    "列出",
    "列举",
    "找出",
    "查找",
    "看看",
    "一下",
    "please",
    "can you",
    "could you",
    "tell me",
    "give me",
    "show me",
    "find me",
    "find",
    "list",
    "recommend",
    "suggest",
    "summarize",
    "summarise",
];

/// What asks to look into documents of a kind, right before the kind.
pub const INTO: &[&str] = &[
    "in the",
    "in our",
    "in my",
    "from the",
    "from our",
    "according to the",
    "according to our",
    "in",
    "from",
    "according to",
    "根据",
    "按照",
    "按",
];

/// Fields that say what kind of document it is.
pub const KIND_NAMES: &[&str] = &["type", "kind", "类型", "类别", "文种", "doc"];

/// What ends a name in English, besides the end and the signs of a sentence.
pub const AFTER_AN_ENGLISH_NAME: &[&str] = &["with", "about", "that", "are", "for", "from", "using", "without"];
