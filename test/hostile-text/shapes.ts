// Texts of a fifth of a megabyte on which a careless pattern takes seconds: one piece repeated, then a mismatch.

/** Backtracking from each of this many characters takes some 5 billion steps. */
const runLength = 100_000

const blanks = [' ', '\t']
const others = [
  ' \n',
  ...[
    '\n',
    '\u2028',
    '\u00a0',
    'a',
    'A',
    '1',
    '全',
    '`',
    '*',
    '_',
    '-',
    '=',
    '.',
    '!',
    ',',
    ':',
    '"',
    "'",
    '(',
  ],
  ...[
    ')',
    '[',
    ']',
    '<',
    '>',
    '#',
    '|',
    '\\',
    '/',
    '~',
    '$',
    '&',
    'a ',
    'a. ',
    'a.b',
    'aB',
    'a_',
    '1.',
    '1,',
  ],
  ...[' |', '- ', '[a](', '<a ', '[1] ', '``` ', 'a\u2028', '://', 'is ', 'the default ', '。', 'e\u0301'],
]
/** The beginning of a heading, an item, a row, a reference, a name or an address, so that a pattern continues with what follows. */
const openings = ['# ', '- ', '|', '[1]', 'x', '1.', 'x: ', 'https://x/', '<a ', 'charset=']
/** Neither white space nor a word, and for some patterns the end of a line: a match must end here and does not. */
const end = '\u2028\u0001x'

function toText(opening: string, piece: string): string {
  const run = piece.repeat(runLength / piece.length)
  return `${run}${end}\n${opening}${run}${end}`
}

/** A run of each piece, alone and after an opening: after each one if the run is white space. */
export const hostileTexts: string[] = [
  ...blanks.flatMap((blank) => openings.map((opening) => toText(opening, blank))),
  ...others.map((piece, at) => toText(openings[at % openings.length]!, piece)),
]

export function nameOf(text: string): string {
  return JSON.stringify(text.slice(text.indexOf('\n', runLength) + 1).slice(0, 12))
}
