// Phrases that say what one word says, so that both sides of the check of citations are compared by that word.

const number = String.raw`(?=\d|(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten)\b)`
const forms = (verb: string) => `${verb} ${verb}s ${verb}ed ${verb}ing`
const turns = `${forms('turn')} switch switches switched switching`

/** First words, what follows them (a pattern), and what is read instead. */
const phrases: [first: string, rest: string, word: string][] = [
  ['not is are', ' (?:tracked|known) by git| under version control', 'untracked'],
  ['unknown', ' to git', 'untracked'],
  ['does do', ' not track', 'untracked'],
  ['at', ' (?:the same|one) time', 'simultaneously'],
  ['in', ' parallel', 'simultaneously'],
  ['right straight', ' away', 'immediately'],
  ['at', ' once', 'immediately'],
  ['as', ' (?:quickly|soon) as possible', 'immediately'],
  ['without', ' delay', 'immediately'],
  [turns, ' off', 'disable'],
  [turns, String.raw` (?<what>\S+) off`, 'disable $<what>'],
  [turns, ' on', 'enable'],
  [turns, String.raw` (?<what>\S+) on`, 'enable $<what>'],
  ['deactivate deactivates deactivated deactivating', '', 'disable'],
  ['activate activates activated activating', '', 'enable'],
  ['no not', ` (?:more|longer|larger|greater|higher) than ${number}`, 'at most '],
  ['as', ` (?:many|much|long) as ${number}`, 'at most '],
  ['up', ` to ${number}`, 'at most '],
  ['a', ` maximum of ${number}`, 'at most '],
  ['no not', ` (?:fewer|less|smaller|lower) than ${number}`, 'at least '],
  ['a', ` minimum of ${number}`, 'at least '],
  ['more greater larger longer older higher', ` than ${number}`, 'exceeding '],
  ['over above exceeding beyond', ` ${number}`, 'exceeding '],
  ['less fewer smaller shorter younger lower', ` than ${number}`, 'below '],
  ['under below', ` ${number}`, 'below '],
  ['more additional extra', ' time', 'longer'],
  ['cut cuts cutting', ' (?:off|short)', 'truncate'],
  ['left leave leaves leaving', ' (?:alone|untouched|intact|unchanged|as (?:it is|they are))', 'keep'],
  ['is are stays remains', ' unaffected', 'is not affected'],
  ['get gets getting', ' rid of', 'remove'],
  ['throw throws thrown throwing', ' away', 'remove'],
  [`${forms('clean')} ${forms('wipe')}`, ' (?:up|out)', 'remove'],
  ['make makes making', ' sure', 'ensure'],
  ['take takes taking', ' (?:place|effect)', 'happen'],
  ['carry carries carried carrying', ' out', 'perform'],
  ['fall falls falling', ' back (?:to|on)', 'default'],
  ['equivalent identical equal', ' to', 'same'],
  ['the', ' same as', 'same'],
  ['same', ' as', 'same'],
  ['exactly', ' like', 'same'],
  ['by', ' hand', 'manually'],
  ['by', ' (?:itself|themselves)', 'automatically'],
  ['on', ' (?:its|their) own', 'automatically'],
  ['a one', ' single time', 'once'],
  ['just', ' once', 'once'],
  ['instead in', '(?: place)? of', 'rather than'],
  ['look looks looked looking', ' (?:up|for)', 'find'],
  ['look looks looked looking', ' at', 'examine'],
  [`${forms('search')} searches`, ' for', 'find'],
  ['find finds finding', ' out', 'determine'],
  [`come comes coming ${forms('ship')}`, ' with', 'include'],
  ['set sets setting', ' up', 'configure'],
  ['has have takes take', ' (?:precedence|priority) over', 'precedence over'],
  ['override overrides overriding overrule overrules', '', 'precedence over'],
  ['as', ' (?:a|the) result(?: of)?', 'cause'],
  ['result results', ' in', 'cause'],
  ['lead leads leading', ' to', 'cause'],
  ['bring brings bringing', ' about', 'cause'],
  ['in', ' order to', 'to'],
  ['as', ' well as', 'and'],
  ['along together', ' with', 'and'],
  ['best good', ' practice', 'recommended'],
  ['do does', ' nothing', 'not perform any work'],
]

const byFirst = new Map<string, { rest: RegExp; word: string }[]>()
for (const [first, rest, word] of phrases) {
  const pattern = new RegExp(
    String.raw`(?:${rest.replaceAll(' ', String.raw`\s+`)})(?:(?<=\s)|(?![\p{L}\p{N}_-]))`,
    'iuy',
  )
  for (const begin of first.split(' '))
    byFirst.set(begin, [...(byFirst.get(begin) ?? []), { rest: pattern, word }])
}

/** `cut off after no more than 5 tries` → `truncate after at most 5 tries`. */
export function withOneWord(text: string): string {
  let shown = ''
  let last = 0
  for (const { 0: begin, index } of text.matchAll(/(?<![\w`.-])[A-Za-z]+/g)) {
    const known = index < last ? undefined : byFirst.get(begin.toLowerCase())
    for (const { rest, word } of known ?? []) {
      rest.lastIndex = index + begin.length
      const found = rest.exec(text)
      if (found === null) continue
      shown += text.slice(last, index) + word.replace('$<what>', found.groups?.what ?? '')
      last = index + begin.length + found[0].length
      break
    }
  }
  return last === 0 ? text : shown + text.slice(last)
}
