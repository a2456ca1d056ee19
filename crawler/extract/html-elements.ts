// What HTML's rules say of each element, as far as tidy-html.ts reads it.

const blocks = `address article aside blockquote center details dir div dl fieldset figcaption figure footer header hgroup
  main menu nav ol pre section summary ul`
const headings = 'h1 h2 h3 h4 h5 h6'

/** The elements that are not simply text in a line, by what HTML's rules say of them. */
const traits = {
  /** No content, no end tag. */
  isVoid: 'area base br col embed hr img input link meta param source track wbr',
  mayBeInHead: 'base link meta noscript script style title',
  /** Content is text up to the end tag, in the second ones with references. */
  isRaw: 'iframe noscript script style textarea title',
  hasReferences: 'textarea title',
  /** A line's end at the very start is none of the text. */
  dropsLineEnd: 'pre textarea',
  /** The start ends an open paragraph. */
  endsParagraph: `${blocks} ${headings} p li dd dt form hr table`,
  /** The end ends what may stay open. */
  endsOpen: `${blocks} ${headings} td th tr tbody tfoot thead table li dd dt form button caption object`,
  mayStayOpen: 'p li dd dt',
  /** A paragraph around it is not ended by what stands in it. */
  isScope: 'td th html table caption object button',
  /** Not within one of the same name. */
  isSingle: 'a button form',
  isHeading: headings,
  isTablePart: 'td th caption col colgroup tbody tfoot thead tr',
  /** Have rules of their own, which parse5 knows. */
  isOther: `applet basefont bgsound body dialog frame frameset head html image keygen listing marquee math nobr noembed noframes
    optgroup option plaintext rb rp rt rtc ruby search select template xmp`,
}
/** What icons are drawn with. */
export const drawn = new Set(
  'svg circle defs ellipse g line mask path polygon polyline rect stop symbol use'.split(' '),
)

export type Traits = Record<keyof typeof traits, boolean>

export const inLine = Object.fromEntries(Object.keys(traits).map((trait) => [trait, false])) as Traits
export const elements = new Map<string, Traits>()
for (const [trait, names] of Object.entries(traits)) {
  for (const name of names.split(/\s+/))
    elements.set(name, { ...(elements.get(name) ?? inLine), [trait]: true })
}
export const rawEnds = new Map(
  traits.isRaw.split(' ').map((name) => [name, new RegExp(`</${name}(?=[ \\t\\n\\f/>])`, 'gi')]),
)

const groups = ['tbody', 'tfoot', 'thead']
/** What a part of a table holds, besides white space and comments. */
export const tableContent = new Map<string, Set<string>>([
  ['table', new Set(['caption', 'colgroup', ...groups])],
  ['colgroup', new Set(['col'])],
  ...groups.map((group) => [group, new Set(['tr'])] as const),
  ['tr', new Set(['td', 'th'])],
])
/** What ends an element that has no end tag: the next of its kind, or what begins behind the element around it. */
export const endedBy = new Map<string, Set<string>>([
  ...groups.map((group) => [group, new Set(groups)] as const),
  ['tr', new Set(['tr', ...groups])],
  ['td', new Set(['td', 'th', 'tr', ...groups])],
  ['th', new Set(['td', 'th', 'tr', ...groups])],
])
export const endsCells = new Set(['table', 'tr', ...groups])
/** An item ends the last of these that is open in the same list. */
export const itemsBefore = new Map<string, Set<string>>([
  ['li', new Set(['li'])],
  ['dd', new Set(['dd', 'dt'])],
  ['dt', new Set(['dd', 'dt'])],
])
/** Blocks beyond which an item is still looked for; any other may be in a list of its own. */
export const withinItem = new Set(['address', 'div', 'p'])
