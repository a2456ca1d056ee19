// Names of code in a text: of options, functions, settings and files.
import { fold } from '../index/fold.ts'
import { codeSpans } from '../sanitize/code-spans.ts'

/** Folded; `create_task` and `dry-run` are one each. */
export function readTokens(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*/gu) ?? []
}

/** Of a shape that only code has: `create_task`, `os.path`, `maxBuffer`, `close()`, `--force`. */
const codeName =
  /(?<![\p{L}\p{N}_.)`-])(?:--?\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)*|[\p{L}_$][\p{L}\p{N}]*(?:(?:_+|\.|::)[\p{L}\p{N}]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{L}[\p{L}\p{N}_]*(?=\(\)))/gu

/** What stands in backticks, and what has the shape of code. */
export function readNames(text: string): string[] {
  const names: string[] = []
  let prose = ''
  let last = 0
  for (const { start, end } of codeSpans(text)) {
    names.push(text.slice(start, end).replace(/^`+|`+$/gu, ''))
    prose += `${text.slice(last, start)}\``
    last = end
  }
  return [...names, ...((prose + text.slice(last)).match(codeName) ?? [])]
}
