/**
 * A follow-up made a whole question, by rule: "and how many can I carry over?" after "How many days of annual leave do
 * I get?" is asked with "days of annual leave". Pure functions over text; whoever asks sees what was carried over.
 */

/** Words of English that are no subject. */
const STOP = new Set(
  [
    'a an the and or but so then also of to in on at by for from with about into over after',
    'before as than how what when where who whom whose why which many much long often far old',
    'big soon do does did is are was were be been being am has have had can could should would',
    'will shall may might must need i you we they he she it me us them him her my your our',
    'their his its this that these those there here one ones get gets got give gives take takes',
    'please tell say know want any some if not no yes',
  ]
    .join(' ')
    .split(' '),
);

/** Words that a follow-up in English begins with. */
const JOINS = /^(?:and|but|so|then|also|or|ok|okay)\b[\s,]*/i;
const POINTS =
  /\b(?:it|its|they|them|their|theirs|those|these|he|she|him|her|his)\b|\b(?:this|that)(?=\s*[?.!,]|\s*$)/i;
const ABOUT = /^(?:what|how) about\b/i;

/** "How do I start …": what is done is asked anew, what it is done to stays. */
const DOING =
  /^(?:how|when|where|why|what)\s+(?:do|does|did|can|could|should|must|may|would|will)\s+(?:i|we|you|one|they|people|somebody|someone)\s+[a-z-]+\s+(?=\S+\s*\S)/i;

/** "How hot should …", "What is …". */
const ASKING =
  /^(?:how|what|which|when|where|why|who)(?:\s+[a-z]+)?\s+(?:do|does|did|is|are|was|were|can|could|should|must|may|would|will|has|have)\s+/i;

const HAN = /\p{Script=Han}/u;
const ZH_LEAD =
  /^(?:请问|我想知道|我想问|想问一下|麻烦问下|那么|那|然后|还有|另外|再问一下)[，,\s]*/;
const ZH_JOINS = /^(?:那么|那|还有|另外|然后|如果|要是|再)/;
const ZH_POINTS = /它们|他们|她们|它|这个|那个|这些|那些|上述|其中/;
const ZH_ENDS = /呢[？?。!！]*$/;
const ZH_ASKS =
  /是否|是不是|有没有|需不需要|能不能|可不可以|需要|应该|可以|怎么|怎样|怎么样|如何|多少|多久|多长|多大|多热|什么|哪|为什么|为何|几|要|是|有|能|会|该|吗|呢|在/;

/** Characters of a subject that are carried over at most. */
const LONGEST = 80;

/** A question as it is to be asked after one about `carried`: `{question, carried}`, `carried` empty where it stands by itself. */
export function whole(typed, carried) {
  const same = { question: typed, carried: '' };
  const chinese = HAN.test(typed);
  if (!carried || !(chinese ? followsZh(typed) : follows(typed))) return same;
  if (typed.toLowerCase().includes(carried.toLowerCase())) return same;
  return { question: chinese ? joinedZh(typed, carried) : joined(typed, carried), carried };
}

const follows = (typed) => JOINS.test(typed) || ABOUT.test(typed) || POINTS.test(typed);

const followsZh = (typed) => ZH_JOINS.test(typed) || ZH_POINTS.test(typed) || ZH_ENDS.test(typed);

function joined(typed, subject) {
  const rest = typed.replace(JOINS, '');
  const named = rest.replace(/\b(?:it|them|they)\b/i, subject);
  if (named !== rest) return named;
  return `${rest.replace(/[?.!\s]+$/, '')} – ${subject}?`;
}

function joinedZh(typed, subject) {
  const rest = typed.replace(ZH_LEAD, '');
  const named = rest.replace(/它们|它|这个|那个/, subject);
  return named === rest ? `${subject}，${rest}` : named;
}

/** What a question is about, or nothing. */
export function subjectOf(question) {
  const subject = HAN.test(question) ? subjectZh(question) : subjectEn(question);
  return subject.length <= LONGEST ? subject : '';
}

/** From the first to the last word that says something. */
function subjectEn(question) {
  const words = question
    .trim()
    .replace(DOING, '')
    .replace(ASKING, '')
    .replace(/[?.!]+$/, '')
    .split(/\s+/);
  const tells = (word) => {
    const bare = word.toLowerCase().replace(/[^\p{L}\p{N}'-]/gu, '');
    return bare && !STOP.has(bare.replace(/'.*$/, ''));
  };
  const [first, last] = [words.findIndex(tells), words.findLastIndex(tells)];
  return first < 0
    ? ''
    : words
        .slice(first, last + 1)
        .join(' ')
        .replace(/[,;:]+$/, '');
}

/** What stands before the words that ask; where they come first, what stands after them. */
function subjectZh(question) {
  const said = question
    .trim()
    .replace(ZH_LEAD, '')
    .replace(/[？?。！!]+$/, '');
  const at = said.search(ZH_ASKS);
  if (at < 0) return said;
  const before = said.slice(0, at).replace(/[，,的\s]+$/, '');
  if (before.length > 1) return before;
  return said
    .slice(at)
    .replace(ZH_ASKS, '')
    .replace(/^[，,\s]+/, '');
}
