// Documents made at random from the signs of Markdown, from HTML that tries to run or load something, and from words
// that occur once. The same seed makes the same documents.

const SIGNS = [
  ...[
    '*',
    '**',
    '***',
    '_',
    '__',
    '~~',
    '`',
    '``',
    '```',
    '~~~',
    '[',
    ']',
    '](',
    '![',
    '!',
    '(',
    ')',
    '\\',
    '|',
    '||',
  ],
  ...[
    '# ',
    '###### ',
    '####### ',
    '> ',
    '>> ',
    '- ',
    '+ ',
    '1. ',
    '7) ',
    '999999999. ',
    '- [x] ',
    '- [ ] ',
    '    ',
    '\t',
  ],
  ...[
    '---',
    '===',
    '***\n',
    '|---|:-:|\n',
    '| a | b |\n',
    '```js\n',
    '\n',
    '\n',
    '\n\n',
    '\r\n',
    '  \n',
    ' ',
    ' ',
    ' ',
  ],
  ...[
    '&deg;',
    '&lt;',
    '&#60;',
    '&#x3c;script&#x3e;',
    '&bogus;',
    '&#0;',
    '&#xd800;',
    '&amp;lt;',
    '😀',
    '𠮷',
    '，',
    '。',
    '\u202e',
    '\u0000',
  ],
];

const ADDRESSES = [
  ...[
    'https://example.org/a_(b)',
    'http://x',
    'mailto:a@b.c',
    'javascript:owned=1',
    'JaVaScRiPt:owned=1',
    ' javascript:owned=1',
  ],
  ...[
    'java\tscript:owned=1',
    'data:text/html,<script>owned=1</script>',
    'vbscript:x',
    '//evil.example',
    '/api/v1/status',
    '#x',
  ],
  ...[
    'https://e.org/" onmouseover="owned=1',
    "https://e.org/' onclick='owned=1",
    '\u0001javascript:owned=1',
    'blob:x',
    'file:///etc/passwd',
  ],
];

const MARKUP = [
  ...[
    '<script>owned=1</script>',
    '<img src=x onerror=owned=1>',
    '<img src="//evil.example/i.png" alt="a">',
    '<svg onload=owned=1>',
  ],
  ...[
    '<iframe src="javascript:owned=1">',
    '<b onclick=owned=1>',
    '</b>',
    '<i>',
    '</i>',
    '<sub>',
    '</sub>',
    '<code>',
    '</code>',
    '<br/>',
  ],
  ...[
    '<style>*{display:none}</style>',
    '<base href="//evil.example/">',
    '<form action=x><input autofocus onfocus=owned=1>',
    '<p style="x">',
  ],
  ...[
    '<a href="javascript:owned=1">',
    '</a>',
    '<math><mi xlink:href="data:x">',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<object data=x>',
    '<video><source onerror=owned=1>',
  ],
  ...[
    '</div></article>',
    '<template>',
    '<link rel=stylesheet href="//evil.example/c">',
    '<meta http-equiv=refresh content="0;url=//evil.example">',
    '<',
    '>',
    '</',
    '<a',
  ],
];

/** Numbers below a bound, by a seed. */
export function numbers(seed) {
  let state = seed >>> 0 || 1;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A document of up to forty parts. Its words are `w0w`, `w1w`, …, each of them once. */
export function document(random) {
  const any = (list) => list[random(list.length)];
  let words = 0;
  const part = () => {
    const choice = random(20);
    if (choice < 8) return `w${words++}w`;
    if (choice < 15) return any(SIGNS);
    if (choice < 17) return any(MARKUP);
    if (choice < 18) return `[w${words++}w](${any(ADDRESSES)})`;
    if (choice < 19) return `![w${words++}w](${any(ADDRESSES)} "${any(MARKUP)}")`;
    return random(2) ? `<${any(ADDRESSES)}>` : any(ADDRESSES);
  };
  return Array.from({ length: 1 + random(40) }, part).join('');
}
