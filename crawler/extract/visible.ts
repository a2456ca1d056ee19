// Determines what a reader sees of a page: hidden elements, invisible characters, and names in signatures.

/** Names of a class attribute. */
export const classNames = (value: string): string[] => value.split(/\s+/)

const maxRemembered = 2000

export type ClassSet = ReturnType<typeof createClassSet>

/**
 * A set of class names. `name*` matches every class that starts with `name`. Caches its result for each class attribute, because
 * pages repeat a few.
 */
export function createClassSet(names: string[]) {
  const exact = new Set(names.filter((name) => !name.endsWith('*')))
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  const remembered = new Map<string, boolean>()
  const test = (name: string) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  return {
    match(value: string): boolean {
      const known = names.length === 0 ? false : remembered.get(value)
      if (known !== undefined) return known
      const answer = classNames(value).some(test)
      if (remembered.size >= maxRemembered) remembered.clear()
      if (value.length < 200) remembered.set(toOwnText(value), answer)
      return answer
    },
  }
}

export const unseenTags = new Set(
  `script style title template svg noscript nav footer button select textarea input iframe object canvas video audio map
   dialog annotation annotation-xml noframes noembed`.split(/\s+/),
)

export const unseenRoles = new Set(['navigation', 'search', 'banner', 'contentinfo', 'dialog', 'alertdialog'])

export const unseenClasses = createClassSet(
  `headerlink hash-link header-anchor anchorjs-link heading-anchor permalink
   sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only skip-link skip-to-content
   breadcrumb breadcrumbs pagination prev-next-area edit-this-page edit-page-link
   cookie-banner cookie-consent cookieconsent cookie-notice
   linenos lineno linenodiv line-numbers-wrapper line-numbers-rows gutter hljs-ln-numbers rouge-gutter
   copybtn copy-button dropdown-menu srclink`.split(/\s+/),
)

/** Declarations that hide an element: not displayed, without size or color, or far off the page. */
const hidingStyle = new RegExp(
  `(?:^|;)\\s*(?:${[
    'display\\s*:\\s*none',
    'visibility\\s*:\\s*(?:hidden|collapse)',
    'font-size\\s*:\\s*0(?:\\.0*)?(?:px|pt|em|rem|%)?\\s*(?:;|!|$)',
    'color\\s*:\\s*transparent',
    '(?:left|right|top|bottom|text-indent|margin-left)\\s*:\\s*-\\d{4,}(?:\\.\\d+)?(?:px|em|rem|pt)',
    'clip\\s*:\\s*rect\\(\\s*[01](?:px)?[\\s,]+[01](?:px)?[\\s,]+[01](?:px)?[\\s,]+[01](?:px)?\\s*\\)',
    'clip-path\\s*:\\s*inset\\(\\s*(?:50|100)%',
  ].join('|')})`,
  'i',
)
/** Elements that fade in also start with this. They have one of the properties in `moving`. */
const clear = /(?:^|;)\s*opacity\s*:\s*0(?:\.0*)?%?\s*(?:;|!|$)/i
const moving = /transform|transition|animation|will-change/i

/** Whether attributes hide an element permanently. An inactive tab counts as visible: it is one click away. */
export function isHidden(attribs: Record<string, string>): boolean {
  if (attribs['aria-hidden'] === 'true') return true
  if (attribs.role === 'tabpanel') return false
  if (attribs.hidden !== undefined && attribs.hidden !== 'until-found') return true
  const { style } = attribs
  return style !== undefined && (hidingStyle.test(style) || (clear.test(style) && !moving.test(style)))
}

const unseenCharacters = /[\u00ad\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/gu

/** Removes invisible characters and marks that change the text direction, which only a machine would read. */
export const seenText = (text: string): string => text.replace(unseenCharacters, '')

const titleEnd =
  /(?:\s*[¶🔗]|\s+[#§]|(?<=[\p{L}\p{N})\]'"’”»`])\s*[:：,、;；。]|(?<=[\p{L}\p{N})\]'"’”»`])\.)+$/u

/** `Note :` → `Note`, `Usage ¶` → `Usage`: removes a heading's colon or permalink sign for use as a title. */
export const withoutEnd = (title: string): string => title.replace(titleEnd, '')

/** Copies the text: in V8, a substring of 13 or more characters keeps the whole original in memory. */
export const toOwnText = (part: string): string => (part.length < 13 ? part : ` ${part}`.slice(1))

/** Keywords of programming languages that may precede a name: kind, visibility, type. */
export const declaring = new Set(
  `abstract abstractmethod alias async automethod class classmethod const constant constexpr coroutine data def default enum
   exception export extern field final fn func function impl inline instance interface internal let macro method mod module mut
   namespace native new object open operator override package partial private property protected protocol pub public readonly
   record ref sealed static staticmethod struct sub synchronized template trait transient type typealias typedef typename
   union unsafe using val var virtual volatile
   bool boolean byte char double float int integer long short signed size_t
   string unsigned void`.split(/\s+/),
)
/** The end of a name without parameters. */
const clause =
  /\s(?:extends|implements|throws|where|inherits|with)\s|(?<=\s)=|=(?=.*[\w"'])|[;{]|(?<!:):(?!:)/
/** Characters that words of prose do not have: "class variable" is not a signature, "class Variable" is one. */
const codeOnly = /[\p{Lu}_.:$\d]/u
const code = /^[\p{L}_$~@*&.:#][\p{L}\p{N}_$.:#*&~-]*(?:(?<=operator)[^\p{L}\p{N}\s]+)?$/u

/** Longer signatures are cut before they are parsed. */
const maxLength = 500

/**
 * The name that a signature declares, without parameters, types and modifiers. Returns other text unchanged.
 *
 *   public void connect(String host) → connect     pub fn parse<T>(s: &str) → parse     func (c *Client) Do(r) → Do
 *   class asyncio.Task(coro) → asyncio.Task        struct Client → Client               lower ( text ) → lower
 *   public static final int MAX = 1 → MAX          -n, --dry-run → -n, --dry-run        wal_level (enum) → wal_level
 */
export function nameOfSignature(signature: string): string {
  const text = signature
    .slice(0, maxLength)
    .split(/\s?(?:→|->|⇒|=>)\s?/u, 1)[0]!
    .replace(/^(func) \([^)]*\)/, '$1')
    .replace(/^(function|macro|variable|type): /i, '$1 ')
  const open = text.search(/\(|\[(?!\])/)
  const head = withoutGenerics(open > 0 ? text.slice(0, open) : text)
  const words = head.split(clause, 1)[0]!.trim().split(/\s+/)
  const first = words.findIndex((word) => !declaring.has(word.toLowerCase()))
  const last = words.length - 1
  const isCalled = open > 0 && /\S/.test(text[open - 1]!) && words[last] !== 'func'
  const name = words[!isCalled && declaring.has(words[last]!) && first >= 0 ? first : last]!.split('<', 1)[0]!
  const isCall = isCalled || (open > 0 && first === last)
  const isDeclared = last > 0 && (isCall || (first > 0 && codeOnly.test(name)))
  return isDeclared && code.test(name) ? name.replace(/^[*&]+/, '') : words.join(' ')
}

/** `Map<K, V>` → `Map`. Unpaired brackets, such as in comparisons, stay. */
function withoutGenerics(text: string): string {
  return text.includes('<') ? text.replace(/(?<=\w)<[^<>]*(?:<[^<>]*>[^<>]*)*>/g, '') : text
}
