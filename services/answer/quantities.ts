// Numbers of a text with their units, in one spelling: `4MB`, `4 megabytes` and `four megabytes` are the same.

/** Unit → its kind and what one of it is in the kind's smallest. */
const units: Record<string, [kind: string, size: number]> = {}
const define = (kind: string, size: number, names: string) => {
  for (const name of names.split(' ')) units[name] = [kind, size]
}
define('time', 1e-6, 'µs us microsecond microseconds')
define('time', 1e-3, 'ms millisecond milliseconds')
define('time', 1, 's sec secs second seconds')
define('time', 60, 'min mins minute minutes')
define('time', 3_600, 'h hr hour hours')
define('time', 86_400, 'd day days')
define('time', 604_800, 'week weeks')
define('month', 1, 'month months')
define('month', 12, 'year years')
define('bytes', 1, 'b byte bytes')
define('bytes', 2 ** 10, 'kb kib kilobyte kilobytes')
define('bytes', 2 ** 20, 'mb mib megabyte megabytes')
define('bytes', 2 ** 30, 'gb gib gigabyte gigabytes')
define('bytes', 2 ** 40, 'tb tib terabyte terabytes')
define('percent', 1, '% percent')

const inWords = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const names = Object.keys(units).sort((a, b) => b.length - a.length)
const number = String.raw`\d+(?:[.,]\d+)*`
const pattern = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.])(?<sign>-(?=\d))?(?<value>${number}|(?:${inWords.join('|')})(?![\p{L}\p{N}_-]))(?:[ -]?(?<unit>${names.join('|')})(?![\p{L}\p{N}_]))?`,
  'giu',
)
/** Words only: a letter alone is no unit without a number. */
const unitWord = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])(?:${names.filter((name) => name.length > 3).join('|')})(?![\p{L}\p{N}_])`,
  'giu',
)

export interface Quantity {
  /** As it stands there. */
  shown: string
  /** The number alone, such as `4`. */
  value: string
  /** With its unit in one spelling, such as `bytes 4194304`; null without a unit. */
  measure: string | null
}

/** `one` and the like count only with a unit, but for `zero`. Versions such as `3.11.2` are numbers too. */
export function readQuantities(text: string): Quantity[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const {
      sign = '',
      value: written,
      unit,
    } = match.groups as { sign?: string; value: string; unit?: string }
    const word = inWords.indexOf(written.toLowerCase())
    if (word > 0 && unit === undefined) return []
    const value = sign + (word >= 0 ? String(word) : written.replace(/,(?=\d{3})/gu, ''))
    const known = unit === undefined ? undefined : units[unit.toLowerCase()]
    const amount = Number(value)
    const measure = known === undefined || Number.isNaN(amount) ? null : `${known[0]} ${amount * known[1]}`
    return [{ shown: match[0], value, measure }]
  })
}

/** Units that are named without regard to a number, as kind and size. */
export function readUnits(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [word] of text.matchAll(unitWord)) found.set(units[word.toLowerCase()]!.join(' '), word)
  return found
}

/** Whether a folded word is told as a quantity: a number, a unit in full, or both in one (`4mb`). */
export function isUnitOrNumber(word: string): boolean {
  if (/^[-+]?\d/u.test(word)) return readQuantities(word)[0]?.shown === word || /^[\d.,%-]+$/u.test(word)
  return (word.length > 3 && word in units) || inWords.includes(word)
}
