// Plain text of a page as Markdown that shows exactly it: names as code, everything else without a meaning of its own.

/** Addresses, long options, dotted and underscored names, calls, quoted patterns. */
const code =
  /https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"]|(?<![\p{L}\p{N}_`])(?:--[A-Za-z][\w-]*|(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::|->))*[\p{L}_$][\p{L}\p{N}_$]*\(\)|[\p{L}_$][\p{L}\p{N}$]*_[\p{L}\p{N}_$]*(?:\.[\p{L}\p{N}_$]+)*(?:=[^\s,;()`]*[^\s,;().:!?`])?|__\w+__(?:\.\w+)*|\p{Ll}[\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)+)(?![\p{L}\p{N}_`(])/gu
const abbreviations = /^(?:e\.g|i\.e|a\.k\.a|p\.m|a\.m|u\.s)$/iu
/** What has a meaning anywhere, or where the text begins. */
const special = /[\\`*[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|^[#>+~|-]|^\d+(?=[.)])/gu

export function toInline(text: string): string {
  const plain = text.replace(/\s+/gu, ' ').trim()
  let shown = ''
  let last = 0
  for (const match of plain.matchAll(code)) {
    if (abbreviations.test(match[0])) continue
    shown += `${withoutMeaning(plain.slice(last, match.index))}\`${match[0]}\``
    last = match.index + match[0].length
  }
  return shown + withoutMeaning(plain.slice(last))
}

function withoutMeaning(text: string): string {
  return text.replace(special, (mark) => `\\${mark}`)
}
