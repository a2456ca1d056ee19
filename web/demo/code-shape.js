// Which stretches of plain text are code: fragments come without markup, and code should look like code.

/** What stands in running text and is code beyond doubt, a kind a line. */
const inlinePattern = new RegExp(
  [
    String.raw`--?[a-z][\w-]*(?:=[\w./-]+)?`, // --option=value, -v
    String.raw`[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*\(\)`, // loop.create_task()
    String.raw`[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+`, // asyncio.run, std::vec
    String.raw`[A-Za-z]+_\w+`, // max_connections
    String.raw`_+[A-Za-z]\w*`, // __init__
  ]
    .map((kind) => String.raw`(?<![\w./:-])${kind}`)
    .join('|'),
  'g',
)
const signaturePattern = /^(?:--?[a-z]|[A-Za-z_][\w.:]*(?:\(|\.\w|::|_\w)|@\w)/
/** What opens or closes a line of code. An indented line always is one. */
const indented = /^\s{2,}\S/
const linePattern =
  /^(?:>>> |\.\.\. |\$ |@\w+|(?:import|from|def|class|return|const|let|var|SELECT|INSERT|UPDATE|CREATE|ALTER|GRANT) )|[{};]\s*$|^(?:for|if|while|with|async|try|else|elif)\b.*:$|^[\w.]+\(.*\)$|^[\w.[\]"']+ = \S/
const sentenceEnd = /[a-z]{2}[.!?…](?:\s|$)/
const noCode = /^(?:e\.g|i\.e|a\.k\.a)\b|\.(?:com|org|net|io|dev)$/i

export function isCodeLine(line) {
  return indented.test(line) || (linePattern.test(line) && !sentenceEnd.test(line))
}

/** Whether a title is a name or signature rather than words: `asyncio.run(coro)`, `--flag`, `max_connections`. */
export function isCodeTitle(title) {
  return signaturePattern.test(title) && !/(?:\s[A-Za-z]+){3}/.test(title)
}

/** Stretches `[start, end)` of a line of running text that are code, in order. */
export function inlineCode(line) {
  return Array.from(line.matchAll(inlinePattern))
    .filter(([name]) => !noCode.test(name))
    .map((match) => [match.index, match.index + match[0].length])
}
