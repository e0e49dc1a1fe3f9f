/** Every word of the page, in English and Chinese. `t('key', a, b)` puts `a` and `b` where `{0}` and `{1}` stand. */

const WORDS = {
  'name': ['Okno', 'Okno'],
  'skip': ['Skip to content', '跳到正文'],
  'views': ['Views', '视图'],
  'view.search': ['Search', '搜索'],
  'view.ask': ['Ask', '问答'],
  'view.compare': ['Compare', '对比'],
  'view.documents': ['Documents', '文档'],
  'view.evaluate': ['Evaluate', '评测'],
  'index': ['Index', '索引'],
  'language': ['中文', 'English'],
  'language.switch': ['切换为中文', 'Switch to English'],
  'theme': ['Theme: {0}', '主题：{0}'],
  'theme.auto': ['system', '跟随系统'],
  'theme.light': ['light', '浅色'],
  'theme.dark': ['dark', '深色'],
  'keys': ['Keyboard', '快捷键'],
  'close': ['Close', '关闭'],
  'cancel': ['Cancel', '取消'],
  'stop': ['Stop', '停止'],
  'retry': ['Try again', '重试'],

  'question': ['Question', '问题'],
  'search.hint': ['What do you want to know?', '想知道什么？'],
  'search.welcome': ['Ask your documents in your own words.', '用自己的话，向文档提问。'],
  'search.welcome.more': [
    '{0} documents, {1} sentences. Okno looks for single sentences and returns the passage around them.',
    '共 {0} 个文档、{1} 个句子。Okno 按句查找，返回所在的整段上下文。',
  ],
  'search.empty': ['This index is still empty.', '索引里还没有文档。'],
  'search.empty.more': ['Add documents', '添加文档'],
  'search.none': [
    'No passage in these documents seems to answer that.',
    '这些文档里似乎没有答案。',
  ],
  'search.none.more': ['Try other words or fewer filters.', '换个说法，或减少过滤条件试试。'],
  'search.nearest': ['Show the closest matches', '显示最接近的内容'],
  'search.filtered': ['No document matches the filters.', '没有符合过滤条件的文档。'],
  'search.count': ['{0} passages', '{0} 段'],
  'search.count.one': ['1 passage', '1 段'],
  'search.spent': ['{0} of {1} tokens', '{0} / {1} 词元'],
  'search.more': ['Show more', '显示更多'],
  'search.weak': ['Show {0} that match less', '再显示不太相关的 {0} 段'],
  'search.weak.one': ['Show 1 that matches less', '再显示不太相关的 1 段'],
  'search.busy': ['Searching', '搜索中'],

  'advanced': ['Advanced', '高级选项'],
  'recipe': ['Recipe', '方案'],
  'recipe.default': ['Index default ({0})', '索引默认（{0}）'],
  'recipe.missing': ['{0} (needs units: {1})', '{0}（缺少单元：{1}）'],
  'recipe.auto': ['Automatic', '自动'],
  'recipe.broad': ['Broad: more of each section', '宽泛：更多整节内容'],
  'recipe.chunks': ['Fixed chunks (baseline)', '固定分块（基线）'],
  'recipe.window': ['Sentences with a window', '句子加前后窗口'],
  'recipe.neighbors': ['Chunks with their neighbours', '分块及相邻块'],
  'recipe.parent': ['Chunks with their parent', '分块及父块'],
  'recipe.section': ['Sentences, whole section', '句子，返回整节'],
  'recipe.summary': ['Summaries', '摘要'],
  'recipe.question': ['Questions', '假设问题'],
  'recipe.table': ['Tables', '表格'],
  'recipe.ensemble': ['Ensemble', '组合'],
  'expand': ['Return', '返回'],
  'expand.default': ['Recipe default', '方案默认'],
  'expand.auto': ['Automatic', '自动'],
  'expand.none': ['Only the matching sentences', '仅命中的句子'],
  'expand.window': ['Sentences before and after', '前后若干句'],
  'expand.neighbors:1': ['Neighbouring chunks', '相邻块'],
  'expand.parent': ['Parent chunk', '父块'],
  'expand.section': ['Whole section', '整节'],
  'expand.document': ['Whole document', '整篇文档'],
  'window': ['Window', '窗口'],
  'window.n': ['±{0} sentences', '前后 {0} 句'],
  'window.1': ['±1 sentence', '前后 1 句'],
  'window.0': ['matching sentence only', '仅命中句'],
  'window.off': ['recipe default', '方案默认'],
  'budget': ['Budget', '篇幅'],
  'budget.default': ['Recipe default', '方案默认'],
  'budget.tokens': ['{0} tokens', '{0} 词元'],

  'help': ['Model assistance', '模型协助'],
  'help.more': [
    'Each step calls the language model, which makes the search slower. Press Enter to search.',
    '每一步都要调用语言模型，搜索会变慢。按回车开始搜索。',
  ],
  'help.filter': ['Infer filters from the question', '从问题中推断过滤条件'],
  'help.route': ['Choose the search method', '选择查找方式'],
  'help.rewrite': ['Rewrite the question', '改写问题'],
  'help.decompose': ['Split the question', '拆分问题'],
  'help.step-back': ['Also ask a more general question', '再问一个更宽泛的问题'],
  'help.multi-query': ['Also ask in other words', '换几种说法再问'],
  'help.hyde': ['Search for a hypothetical answer', '设想一个答案并据此查找'],
  'help.post-filter': ['Drop irrelevant results', '剔除无关结果'],
  'help.sql': ['Write a query over the tables', '为表格编写查询'],
  'help.did': ['What the model did', '模型所做的'],
  'help.without': ['not done: {0}', '未执行：{0}'],

  'filters': ['Filters', '过滤'],
  'filters.more': ['{0} more', '还有 {0} 项'],
  'filters.others': ['Other fields', '其他字段'],
  'filters.none': ['There are no folders.', '没有文件夹。'],
  'field.folder': ['Folder', '文件夹'],
  'field.type': ['Type', '类型'],
  'field.language': ['Language', '语言'],
  'field.date': ['Date', '日期'],
  'field.modified': ['Date modified', '修改日期'],
  'field.created': ['Date created', '创建日期'],
  'filters.from': ['from', '从'],
  'filters.to': ['to', '到'],
  'filters.own': ['Custom filter', '自定义条件'],
  'filters.own.hint': [
    'year >= 2023 and tags contains leave',
    'year >= 2023 and tags contains 财报',
  ],
  'filters.add': ['Add', '添加'],
  'filters.remove': ['Remove filter {0}', '移除条件 {0}'],
  'filters.read': ['inferred from the question', '从问题中推断'],
  'filters.spelled': ['instead of “{0}”', '代替 “{0}”'],
  'filters.literal': ['searched as written', '按原样搜索'],
  'filters.literal.off': ['Infer filters from the question again', '恢复从问题中推断条件'],
  'filters.offer': ['Did you mean', '是否想限定'],
  'filters.withdrawn': [
    'Nothing matches {0}; searched without it.',
    '没有符合 {0} 的内容，已去掉该条件。',
  ],

  'context.lines': ['lines {0}–{1}', '第 {0}–{1} 行'],
  'context.line': ['line {0}', '第 {0} 行'],
  'context.page': ['p. {0}', '第 {0} 页'],
  'context.copies': ['also in {0}', '另见 {0}'],
  'relevance.strong': ['strong match', '很相关'],
  'relevance.likely': ['likely match', '可能相关'],
  'relevance.weak': ['weak match', '不太相关'],
  'context.open.in': ['Open {0} at this passage', '在 {0} 中打开此段'],
  'context.copy': ['Copy', '复制'],
  'context.copied': ['Copied with its citation', '已连同出处一起复制'],
  'why': ['Why', '为何'],
  'why.score': [
    'Score {0} · characters {1}–{2} · {3} tokens',
    '得分 {0} · 字符 {1}–{2} · {3} 词元',
  ],
  'why.made': ['{0} → {1}', '{0} → {1}'],
  'why.route': ['Route: {0} ({1})', '路线：{0}（{1}）'],
  'why.by': ['By', '依据'],
  'why.unit': ['Unit', '单元'],
  'why.rank': ['Rank', '名次'],
  'why.raw': ['Score', '得分'],
  'why.share': ['Share', '贡献'],
  'why.leg.lexical': ['words', '词语'],
  'why.leg.dense': ['meaning', '语义'],
  'why.none': ['It is shown because of the sentences around it.', '因相邻的句子而一并显示。'],
  'why.strong': [
    'It very probably answers the question (relevance {0} of 100).',
    '很可能回答了这个问题（相关度 {0}，满分 100）。',
  ],
  'why.likely': [
    'It may answer the question (relevance {0} of 100).',
    '可能回答了这个问题（相关度 {0}，满分 100）。',
  ],
  'why.weak': [
    'It probably does not answer the question (relevance {0} of 100).',
    '多半没有回答这个问题（相关度 {0}，满分 100）。',
  ],
  'why.by.lexical': [
    'The best sentence has words of the question: rank {0} by words.',
    '其中最相关的句子含有问题里的词语：按词语排第 {0}。',
  ],
  'why.by.dense': [
    'Its meaning is close to that of the question: rank {0} by meaning.',
    '句子的意思与问题接近：按语义排第 {0}。',
  ],
  'why.again': [
    'Read again, it went from rank {0} to rank {1}.',
    '再读一遍后，从第 {0} 位到第 {1} 位。',
  ],
  'why.pieces': ['Of the question it has: {0}', '问题中的这些内容与它对应：{0}'],
  'why.about': ['It was found by a text about it: “{0}”', '通过一段关于它的文字找到：“{0}”'],
  'why.around': [
    'The sentences around it are shown so that it can be understood.',
    '一并显示前后的句子，便于理解。',
  ],
  'why.figures': ['Figures', '详细数据'],
  'because.chosen': ['as chosen', '按指定'],
  'because.code': ['the question is a code', '问题是一个编号'],
  'because.quotation': ['the question is a quotation', '问题是一句引文'],
  'because.whole': ['the question is about a whole document or topic', '问的是整篇或整个主题'],
  'because.rows': ['the question counts or compares rows', '问题是对行的计数或比较'],
  'because.model': ['chosen by the model', '由模型选择'],
  'because.usual': ['the default', '默认方式'],
  'feedback.useful': ['Useful', '有用'],
  'feedback.not-useful': ['Not useful', '无用'],
  'feedback.thanks': [
    'Noted. `okno tune --from-feedback` learns from it.',
    '已记录，可供 `okno tune --from-feedback` 使用。',
  ],

  'compare.left': ['Left recipe', '左侧方案'],
  'compare.right': ['Right recipe', '右侧方案'],
  'compare.welcome': ['One question, two recipes, side by side.', '同一问题，两种方案，并排对照。'],
  'compare.only': ['{0} characters only here', '仅此处有 {0} 个字符'],
  'compare.same': ['nothing the other recipe lacks', '没有对方缺少的内容'],
  'compare.legend': [
    'Marked with +: only this recipe returned it.',
    '标有 + 的内容只有此方案返回。',
  ],
  'compare.tokens': ['{0} · {1} tokens', '{0} · {1} 词元'],

  'model': ['Model', '模型'],
  'model.none': ['None: sentences of the documents', '不用模型：文档原句'],
  'ask.hint': ['Ask, and press Enter', '输入问题，按回车'],
  'ask.button': ['Ask', '提问'],
  'ask.welcome': [
    'An answer from your documents, each statement with its source.',
    '依据文档作答，每句话都有出处。',
  ],
  'ask.busy': ['Reading', '阅读中'],
  'ask.extractive': [
    'No language model is set up, so these are the sentences that answer best, word for word.',
    '尚未设置语言模型，以上是最能回答问题的原文句子。',
  ],
  'ask.setup': ['How to set one up', '如何设置模型'],
  'ask.setup.more': [
    'Put this into okno.toml beside the index and start the server again. Ollama runs on your own machine; any OpenAI-compatible service works the same way.',
    '将以下内容写入索引旁的 okno.toml 并重启服务。Ollama 在本机运行；其他兼容 OpenAI 的服务同样可用。',
  ],
  'ask.by': ['Answered by {0}', '由 {0} 回答'],
  'ask.cut': ['The answer was cut off at the token limit.', '回答达到词元上限，被截断。'],
  'ask.removed': [
    '{0} citations had no source and were removed.',
    '有 {0} 处引用没有来源，已移除。',
  ],
  'ask.sources': ['Sources', '出处'],
  'ask.passages': ['Passages used', '使用的段落'],
  'ask.cite': ['Source {0}: {1}', '出处 {0}：{1}'],
  'ask.stopped': ['Stopped.', '已停止。'],
  'ask.carried': ['Asked as: {0}', '按此提问：{0}'],
  'ask.literal': ['Ask only what I typed', '只按我输入的问'],
  'ask.earlier': ['Earlier in this conversation', '此前的问答'],
  'talk': ['Conversation', '对话'],
  'talk.new': ['New conversation', '新对话'],
  'talk.rename': ['Rename', '重命名'],
  'talk.name': ['Name', '名称'],
  'talk.save': ['Save', '保存'],
  'talk.export': ['Export', '导出'],
  'talk.delete': ['Delete', '删除'],
  'talk.delete.ask': ['Delete the conversation “{0}”?', '删除对话“{0}”？'],
  'talk.delete.more': [
    'It is kept only in this browser and cannot be restored.',
    '对话只保存在此浏览器中，删除后无法恢复。',
  ],

  'reader': ['Document', '文档'],
  'reader.outline': ['Outline', '目录'],
  'reader.close': ['Close document', '关闭文档'],
  'reader.busy': ['Opening', '打开中'],
  'reader.facts': ['About', '属性'],
  'reader.image': ['image', '图片'],
  'reader.as': ['Show as', '显示方式'],
  'reader.as.page': ['Page', '页面'],
  'reader.as.text': ['Text', '文本'],
  'reader.no-picture': ['{0}; the text is shown instead.', '{0}；现改为显示文本。'],
  'page.number': ['Page {0} of {1}', '第 {0} 页，共 {1} 页'],
  'page.previous': ['Previous page', '上一页'],
  'page.next': ['Next page', '下一页'],
  'page.alt': ['Page {0} of {1}; its words are under Text', '{1} 第 {0} 页；文字见“文本”'],
  'page.unmarked': [
    'The passage cannot be marked here; see Text.',
    '无法在此标出该段落，请看“文本”。',
  ],

  'documents.find': ['Find by name or title', '按名称或标题查找'],
  'documents.count.one': ['1 document', '1 个文档'],
  'documents.count': ['{0} documents', '{0} 个文档'],
  'documents.drop': ['Drop files or folders here, or', '将文件或文件夹拖到这里，或'],
  'documents.choose': ['choose files', '选择文件'],
  'documents.choose.folder': ['choose a folder', '选择文件夹'],
  'documents.none': ['No documents yet.', '还没有文档。'],
  'documents.nomatch': ['No document has that name.', '没有这个名称的文档。'],
  'documents.name': ['Document', '文档'],
  'documents.kind': ['Type', '类型'],
  'documents.sentences': ['Sentences', '句数'],
  'documents.size': ['Size', '大小'],
  'documents.delete': ['Remove', '移除'],
  'documents.delete.name': ['Remove {0}', '移除 {0}'],
  'documents.delete.ask': ['Remove {0} from the index?', '将 {0} 移出索引？'],
  'documents.delete.more': [
    'The file itself is not deleted. The document is indexed again only when its content changes.',
    '文件本身不会删除；内容改变之前，该文档不会重新进入索引。',
  ],
  'documents.deleted': ['{0} was removed from the index', '已移出 {0}'],
  'documents.more': ['Show {0} more', '再显示 {0} 个'],
  'documents.again': ['Re-read all folders', '重新读取所有文件夹'],
  'job.upload': ['Sending {0} files', '正在上传 {0} 个文件'],
  'job.index': ['Indexing', '正在建立索引'],
  'job.eval': ['Measuring {0}', '正在评测 {0}'],
  'job.done': [
    '{0} added, {1} changed, {2} unchanged, {3} skipped',
    '新增 {0}，更新 {1}，未变 {2}，跳过 {3}',
  ],
  'job.next': ['Search', '开始搜索'],
  'job.skipped': ['Skipped', '已跳过'],
  'job.cancelled': ['Stopped; what was done stays.', '已停止，已完成的部分保留。'],
  'job.cancelled.eval': ['Stopped; nothing was kept.', '已停止，没有保留结果。'],

  'eval.welcome': [
    'Measure recipes on questions with known answers.',
    '用已知答案的问题衡量各方案。',
  ],
  'eval.set': ['Question set', '问题集'],
  'eval.set.help': [
    'JSON lines with `question`, `doc_id` and `answers`. Without a file, {0} questions are made from the documents.',
    'JSONL 文件，每行含 `question`、`doc_id`、`answers`。不选文件时，会从文档中生成 {0} 个问题。',
  ],
  'eval.recipes': ['Recipes', '方案'],
  'eval.budgets': ['Budgets (tokens)', '篇幅（词元）'],
  'eval.name': ['Name of the run', '评测名称'],
  'eval.start': ['Measure', '开始评测'],
  'eval.runs': ['Leaderboard', '排行榜'],
  'eval.none': ['No runs yet.', '还没有评测记录。'],
  'eval.line': ['line {0}: {1}', '第 {0} 行：{1}'],
  'eval.report.of': ['Report of {0}', '{0} 的报告'],
  'eval.report.none': [
    'No report of this run is kept: measure again to see one.',
    '没有保留这次评测的报告，重新评测即可查看。',
  ],
  'eval.on': ['{0}, {1} tokens', '{0}，{1} 词元'],
  'eval.rank': ['#', '名次'],
  'eval.run': ['Run', '评测'],
  'eval.coverage': ['Coverage', '覆盖'],
  'eval.context': ['Context', '上下文'],
  'eval.mrr@10': ['MRR@10', 'MRR@10'],
  'eval.precision': ['Precision', '精度'],
  'eval.p50': ['ms', '毫秒'],

  'key.title': ['This server requires an API key', '此服务需要密钥'],
  'key.more': [
    'It is kept for this tab only and sent only to this server.',
    '密钥只保留在当前标签页，只发送给此服务。',
  ],
  'key.label': ['API key', 'API 密钥'],
  'key.use': ['Use key', '使用密钥'],
  'fault.unreachable': [
    'The server does not respond. Is `okno serve` still running?',
    '服务没有响应。`okno serve` 还在运行吗？',
  ],

  'keys./': ['to the question', '定位到问题框'],
  'keys.j': ['next passage', '下一段'],
  'keys.k': ['previous passage', '上一段'],
  'keys.Enter': ['open the document there', '打开文档并定位'],
  'keys.w': ['why this passage', '为何返回此段'],
  'keys.[ ]': ['smaller or larger window', '缩小或扩大窗口'],
  'keys.1 … 5': ['search, ask, compare, documents, evaluate', '搜索、问答、对比、文档、评测'],
  'keys.← →': ['previous or next page of a PDF', 'PDF 的上一页或下一页'],
  'keys.Esc': ['close, or leave a field', '关闭，或离开输入框'],
  'keys.?': ['these keys', '显示快捷键'],
};

let column = 0;

/** Chooses the language: `zh` or anything else for English. */
export function speak(language) {
  column = language === 'zh' ? 1 : 0;
}

/** `zh` or `en`. */
export const spoken = () => (column ? 'zh' : 'en');

/** The words of a key, in the chosen language. */
export function t(key, ...values) {
  const words = WORDS[key];
  if (!words) throw new Error(`no words for ${key}`);
  return words[column].replace(/\{(\d)\}/g, (_, i) => values[i]);
}

/** Whether there are words for a key. */
export const known = (key) => key in WORDS;

/** A number as people of the chosen language write it. */
export const number = (value, digits = 0) =>
  new Intl.NumberFormat(column ? 'zh-CN' : 'en', {
    maximumFractionDigits: digits,
    minimumFractionDigits: digits,
  }).format(value);

/** Bytes as people read them. */
export function bytes(count) {
  const kib = count / 1024;
  return kib < 1024 ? `${number(kib, kib < 10 ? 1 : 0)} KiB` : `${number(kib / 1024, 1)} MiB`;
}

/** All keys, for the test that every one has both languages. */
export const all = WORDS;
