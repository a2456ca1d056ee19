// What readers say and what documentation writes: another wording of a question, for a second search.
import { fold } from '../index/fold.ts'
import { toWords } from '../index/words.ts'
import { stopWords } from '../search/stop-words.ts'

const verb = (word: string) => `${word}(?:s|ed|ing)?`

/** Folded; the first pattern that fits a place counts. */
const sayings: [said: string, written: string][] = [
  [`${verb('kill')}`, 'terminate cancel'],
  ['(?:get|getting) rid of|throw(?:ing)? away|wip(?:e|ing)(?: out)?', 'delete remove'],
  ['free(?:ing)? up|shrink(?:ing)?', 'reclaim reduce'],
  ['right now|at the moment', 'current'],
  ['who is connected|who is logged in|connected users', 'current sessions activity'],
  ['(?:too )?slow(?:ly)?|speed(?:ing)? up|(?:make|run) (?:it |this )?faster', 'performance'],
  ['how (?:big|large)|too (?:big|large)', 'size'],
  [`crash(?:es|ed|ing)?|dies|died`, 'killed interrupted failure'],
  ['log(?:ging)? ?in|sign(?:ing)? in|login', 'authentication'],
  ['(?:give|giving|let|letting) .{1,20} (?:access|permission|rights?)', 'grant privileges'],
  ['read ?-?only access', 'grant select privilege'],
  ['(?:insert|add).{1,20}or update', 'insert on conflict update'],
  ['forg(?:et|ot|otten)|lost', 'change reset'],
  [`${verb('show')} up|turns? up`, 'found'],
  [`${verb('turn')}(?= .{1,40} into )`, 'convert'],
  ['hangs?|hanging|is stuck|gets stuck', 'blocks waits timeout'],
  ["today'?s?(?: date)?", 'current date'],
  ['folders?', 'directory'],
  ['is there(?= *[?.]?$)|is already there', 'exists'],
  ['eats?|eating(?: up)?', 'memory usage'],
  ['pretend(?:s|ing)? to be', 'user agent'],
  ['vanish(?:es|ed)?|disappears?|goes away', 'deleted removed'],
  ['without showing', 'without echo'],
  ['secrets?', 'password'],
  [`${verb('undo')}`, 'revert roll back'],
  ['look(?:ing)? (?:at|into)', 'inspect'],
  [`${verb('pick')}`, 'select choose'],
  ['hand(?:s|ed|ing)? over', 'pass'],
  ['glu(?:e|ing)|stick(?:ing)? together', 'join concatenate'],
  ['chop(?:ping)?|cut(?:ting)? up', 'split'],
  ['ram', 'memory'],
]
const patterns = sayings.map(([said, written]) => ({
  said: new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${said})(?![\p{L}\p{N}_])`, 'gu'),
  written,
}))

export interface OtherWording {
  query: string
  /** Words of the question that it does without, folded. */
  replaced: string[]
}

/** `How do I kill a long running query?` → `terminate cancel long running query`; null where nothing is replaced. */
export function inOtherWords(question: string): OtherWording | null {
  let query = fold(question)
  const replaced: string[] = []
  for (const { said, written } of patterns) {
    query = query.replace(said, (words) => {
      replaced.push(...words.split(/\s+/u))
      return written
    })
  }
  if (replaced.length === 0) return null
  const telling = toWords(query).filter(({ text }) => !stopWords.has(text))
  return { query: telling.map(({ text }) => text.replace(/^[.'":]+|[.'":]+$/gu, '')).join(' '), replaced }
}
