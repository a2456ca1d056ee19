// What a signature names, in whichever language it is written.

/** Words of programming languages that may stand before a name: what kind of thing it is, who may use it, of what type. */
export const declaring = new Set(
  `abstract abstractmethod alias async automethod class classmethod const constant constexpr coroutine data def default enum
   exception export extern field final fn func function impl inline instance interface internal let macro method mod module mut
   namespace native new object open operator override package partial private property protected protocol pub public readonly
   record ref sealed static staticmethod struct sub synchronized template trait transient type typealias typedef typename
   union unsafe using val var virtual volatile
   bool boolean byte char double float int integer long short signed size_t string unsigned void`.split(
    /\s+/,
  ),
)
/** What ends a name that no parameters follow. */
const clause = /\s(?:extends|implements|throws|where|inherits|with)\s|[=;{]|(?<!:):(?!:)/
/** What a word of prose does not have: "class variable" is no signature, "class Variable" is one. */
const codeOnly = /[\p{Lu}_.:$\d]/u
const code = /^[\p{L}_$~@*&.:#][\p{L}\p{N}_$.:#*&~-]*$/u

/** Longer ones are cut before they are read. */
const maxLength = 500

/**
 * The name that a signature declares, without parameters, types and modifiers; anything else as it is.
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
  const open = text.search(/[([]/)
  const head = withoutGenerics(open > 0 ? text.slice(0, open) : text)
  const words = head.split(clause, 1)[0]!.trim().split(/\s+/)
  const first = words.findIndex((word) => !declaring.has(word.toLowerCase()))
  const last = words.length - 1
  const name = words[declaring.has(words[last]!) && first >= 0 ? first : last]!.split('<', 1)[0]!
  const isCall = open > 0 && (/\S/.test(text[open - 1]!) || first === last)
  const isDeclared = last > 0 && (isCall || (first > 0 && codeOnly.test(name)))
  return isDeclared && code.test(name) ? name.replace(/^[*&]+/, '') : words.join(' ')
}

/** `Map<K, V>` → `Map`; a comparison has no partner and stays. */
function withoutGenerics(text: string): string {
  return text.includes('<') ? text.replace(/(?<=\w)<[^<>]*(?:<[^<>]*>[^<>]*)*>/g, '') : text
}
