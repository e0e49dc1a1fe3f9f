/** Character references of HTML and Markdown (`&deg;`, `&#176;`, `&#xB0;`) as the characters they stand for. Pure. */

/** The names that documents use; any other stays as it is written. Runs of neighbouring code points are listed from their first. */
const RUNS = [
  [160, 'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr'],
  [176, 'deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34'],
  [
    191,
    'iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave',
  ],
  [205, 'Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute'],
  [219, 'Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave'],
  [233, 'eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml'],
  [247, 'divide oslash ugrave uacute ucirc uuml yacute thorn yuml'],
  [913, 'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho'],
  [931, 'Sigma Tau Upsilon Phi Chi Psi Omega'],
  [945, 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho'],
  [962, 'sigmaf sigma tau upsilon phi chi psi omega'],
  [8592, 'larr uarr rarr darr harr'],
];

/** All others, each with its code point. */
const SINGLE = [
  'amp 38 lt 60 gt 62 quot 34 apos 39 num 35 ast 42 lowbar 95 vert 124 lsqb 91 rsqb 93',
  'OElig 338 oelig 339 Scaron 352 scaron 353 ensp 8194 emsp 8195 thinsp 8201 ndash 8211',
  'mdash 8212 lsquo 8216 rsquo 8217 sbquo 8218 ldquo 8220 rdquo 8221 bdquo 8222 dagger 8224',
  'bull 8226 hellip 8230 permil 8240 prime 8242 Prime 8243 lsaquo 8249 rsaquo 8250 euro',
  '8364 trade 8482 rArr 8658 part 8706 sum 8721 minus 8722 radic 8730 infin 8734 asymp 8776',
  'ne 8800 equiv 8801 le 8804 ge 8805 check 10003',
]
  .join(' ')
  .matchAll(/(\w+) (\d+)/g);

const NAMES = new Map([...SINGLE].map(([, name, code]) => [name, Number(code)]));
for (const [first, names] of RUNS)
  names.split(' ').forEach((name, i) => NAMES.set(name, first + i));

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,10}));/y;

/** The character reference that begins at `at`: `{end, says}`, or null. */
export function entityAt(text, at) {
  REFERENCE.lastIndex = at;
  const match = REFERENCE.exec(text);
  if (!match) return null;
  const [whole, decimal, hex, name] = match;
  const code = name ? NAMES.get(name) : decimal ? Number(decimal) : parseInt(hex, 16);
  if (code === undefined) return null;
  return { end: at + whole.length, says: character(code) };
}

/** What stands for no character is shown as U+FFFD. */
function character(code) {
  const none = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return none ? '\ufffd' : String.fromCodePoint(code);
}
