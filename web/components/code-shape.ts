// Finds code in plain text: search fragments have no markup, but code should look like code.
import type { Stretch } from './highlight.ts'

/** Forms that are always code in running text, one per line. */
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
/** Words that generators print before a name in a signature. */
const kindWords =
  /^(?:(?:abstract|async|awaitable|class|classmethod|const|coroutine|def|exception|fn|function|method|property|pub|public|static|staticmethod|struct|trait) )+/
const signaturePattern = /^(?:--?[a-z]|[A-Za-z_][\w.:]*(?:\(|\.\w|::|_\w)|@\w)/
/** An indented line or a comment: always code. */
const plainCode = /^(?:\s{2,}\S|(?:#|\/\/)(?:\s|$))/
const linePattern = new RegExp(
  [
    String.raw`^(?:>>> |\.\.\. |\$ |@\w+)`, // prompts, decorators
    String.raw`^(?:import [\w.]+(?: as \w+)?$|from [\w.]+ import |(?:async )?def \w+\(|class \w+.*[:{]$)`,
    String.raw`^(?:const|let|var) \w+ = |^(?:for|if|while|with|try|else|elif)\b.*:$`,
    '^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|GRANT) ',
    String.raw`[{};]\s*$`,
    String.raw`^[\w.]+\(.*\)$|^[\w.[\]"']+ = \S`, // call(x), name = value
  ].join('|'),
)
const sentenceEnd = /[a-z]{2}[.!?…](?:\s|$)/
const noCode = /^(?:e\.g|i\.e|a\.k\.a)\b|\.(?:com|org|net|io|dev)$/i

export function isCodeLine(line: string): boolean {
  return plainCode.test(line) || (linePattern.test(line) && !sentenceEnd.test(line))
}

/** Whether a title is a name or signature rather than words: `asyncio.run(coro)`, `--flag`, `max_connections`. */
export function isCodeTitle(title: string): boolean {
  const name = title.replace(kindWords, '')
  return signaturePattern.test(name) && !/(?:\s[A-Za-z]+){3}/.test(name)
}

/** Ranges `[start, end)` of a line of running text that are code, in order. */
export function findInlineCode(line: string): Stretch[] {
  return Array.from(line.matchAll(inlinePattern))
    .filter(([name]) => !noCode.test(name))
    .map((match): Stretch => [match.index, match.index + match[0].length])
}
