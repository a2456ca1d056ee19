// Numbers of a text with their units, in one spelling: `4MB` and `four megabytes` are the same.
import { fold } from '../index/fold.ts'

interface Quantity {
  /** As the text has it, such as `30 seconds`. */
  shown: string
  /** The number alone, such as `4` or `3.11.2`. */
  value: string
  /** As Intl names it; null without a known unit. */
  unit: string | null
  /** In the smallest unit of its kind, such as `byte 4194304`; null without a known unit. */
  measure: string | null
}

/** A unit as Intl names it: its kind, its size in the smallest of the kind, and a name that Intl does not know. */
const units: Record<string, [kind: string, size: number, name?: string]> = {
  microsecond: ['second', 1e-6, 'us'],
  millisecond: ['second', 1e-3],
  second: ['second', 1, 'secs'],
  minute: ['second', 60, 'mins'],
  hour: ['second', 3_600],
  day: ['second', 86_400],
  week: ['second', 604_800],
  month: ['month', 1],
  year: ['month', 12],
  byte: ['byte', 1],
  kilobyte: ['byte', 2 ** 10, 'kib'],
  megabyte: ['byte', 2 ** 20, 'mib'],
  gigabyte: ['byte', 2 ** 30, 'gib'],
  terabyte: ['byte', 2 ** 40, 'tib'],
  percent: ['percent', 1],
}

/** 0 to 20, then 30 to 90, by ISO 639-1. */
const numberWords: Record<string, string> = {
  en: `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety`,
  de: `null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
    achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig`,
  fr: `zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit
    dix-neuf vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix`,
}
/** Numbers only where a unit follows: they are other words too. */
const ambiguous = ['one', 'ein', 'un', 'neuf']

/** `language`: ISO 639-1. Numbers in words are read in English, German and French. */
export function readQuantities(text: string, language: string): Quantity[] {
  const { unitByName, valueByWord, decimal, pattern } = findReader(language)
  return [...fold(text).matchAll(pattern)].flatMap((match) => {
    const { sign = '', digits, word = '', name } = match.groups as Record<string, string | undefined>
    if (name === undefined && ambiguous.includes(word)) return []
    const number = digits === undefined ? String(valueByWord.get(word)) : toNumber(digits, decimal)
    const amount = Number(sign + number)
    // `3.11.2` is no amount.
    const value = Number.isNaN(amount) ? number : String(amount)
    const unit = unitByName.get(name ?? '') ?? null
    const [kind, size] = units[unit ?? ''] ?? []
    const hasMeasure = kind !== undefined && !Number.isNaN(amount)
    const measure = hasMeasure ? `${kind} ${Number((amount * size!).toPrecision(12))}` : null
    return [{ shown: match[0].trim(), value, unit, measure }]
  })
}

/** The units that a text names, with a number or without. */
export function readUnits(text: string, language: string): Set<string> {
  const { unitByName } = findReader(language)
  return new Set((fold(text).match(/[\p{L}%]+/gu) ?? []).flatMap((word) => unitByName.get(word) ?? []))
}

/** A number without a unit will do where the text names the unit elsewhere, as in a table of milliseconds. */
export function holdsQuantity(
  held: Quantity[],
  units: Set<string>,
  { value, unit, measure }: Quantity,
): boolean {
  return held.some((each) =>
    unit === null || (each.unit === null && units.has(unit))
      ? each.value === value
      : each.measure === measure,
  )
}

/** `1,024.5` in English and `1.024,5` in German are `1024.5`; `3.11.2` stays. */
function toNumber(digits: string, decimal: string): string {
  const group = decimal === ',' ? '.' : ','
  const parts = digits.split(group)
  const isGrouped = parts.length > 1 && parts.slice(1).every((part) => /^\d{3}(?!\d)/u.test(part))
  return (isGrouped ? parts.join('') : digits).replace(decimal, '.')
}

const readers = new Map<string, ReturnType<typeof createReader>>()

function findReader(language: string) {
  const reader = readers.get(language) ?? createReader(language)
  readers.set(language, reader)
  return reader
}

function createReader(language: string) {
  const unitByName = readUnitNames(language)
  const words = fold(numberWords[language] ?? numberWords.en!).split(/\s+/u)
  const valueByWord = new Map(words.map((word, at) => [word, at <= 20 ? at : 10 * (at - 18)]))
  // For a pattern: the longest first.
  const either = (texts: Iterable<string>) =>
    [...texts]
      .toSorted((a, b) => b.length - a.length)
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`))
      .join('|')
  const digits = String.raw`(?<sign>(?<![\p{L}\p{N}])-)?(?<digits>\d+(?:[.,]\d+)*)`
  const word = String.raw`(?<word>${either(words)})(?!-?[\p{L}\p{N}_])`
  const unit = String.raw`(?:[ \u00a0-]?(?<name>${either(unitByName.keys())})(?![\p{L}\p{N}_]))?`
  return {
    unitByName,
    valueByWord,
    decimal: new Intl.NumberFormat(language).format(0.5)[1]!,
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_.]|\p{L}-)(?:${digits}|${word})${unit}`, 'gu'),
  }
}

/** As Intl writes them in the language and in English: `min`, `minutes`, `Minuten`. `m` is a minute here and a month there. */
function readUnitNames(language: string): Map<string, string> {
  const names = new Map<string, string>()
  for (const locale of new Set([language, 'en'])) {
    for (const [unit, [, , other]] of Object.entries(units)) {
      const parts = (['long', 'short', 'narrow'] as const).flatMap((unitDisplay) => {
        const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay })
        return [1, 2].flatMap((amount) => format.formatToParts(amount))
      })
      const own = parts
        .filter(({ type }) => type === 'unit' || type === 'percentSign')
        .map(({ value }) => fold(value))
      for (const name of other ? [...own, other] : own) if (!names.has(name)) names.set(name, unit)
    }
  }
  names.delete('m')
  return names
}
