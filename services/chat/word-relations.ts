// Words of documentation that say the same, and words that contradict each other, for the check of citations.
import { stem } from '../index/stem.ts'

/** The stem; `cancelled` and `cancels` are one. */
export function rootOf(word: string): string {
  const root = stem(word)
  return root !== word && root.endsWith('ll') && root.length > 5 ? root.slice(0, -1) : root
}

const same = `
  begin start launch | end finish terminate stop complete exit | remove delete drop erase discard destroy
  make create build construct produce generate | return give yield answer | raise throw reraise | error exception fault
  argument parameter option setting | need require must demand | run execute invoke call | set assign specify
  supply provide pass give given specify specified | show display print output | keep preserve retain hold store save remain
  allow permit enable | change modify alter update | convert transform coerce turn become | get obtain fetch retrieve
  contain include | folder directory | big large | small little | fast quick | whole entire complete full
  calculate compute evaluate call | recommend advise suggest | forbid prohibit disallow | reach expire exceed elapse | method function | own belong
  match equal | wait block | usual typical normal default | cancel abort | several multiple many | initial first
  limit bound maximum most | minimum least | guarantee ensure promise | already existing exist | treat regard consider count take taken
  time duration | object instance | location place position | reclaim free recover | lose lost | kill killed
  written write wrote writing | default defaults | sole only just solely exclusively
  memory ram | statement query | ask request | choose select pick | join combine merge concatenate | split divide separate
  ascending increasing | descending decreasing | threadsafe thread-safe | resist resistant | concurrent concurrently | differ different | automatic automatically | equal equals same | roll rollback | prepared ready | row record | unlimited arbitrary any | quicker faster | slower longer
`
const opposite = `
  enable disable | enabled disabled | before after | always never | more less | more fewer | minimum maximum | least most
  increase decrease | above below | true false | on off | upper lower | ascending descending | allow forbid | allow prevent
  include exclude | start end | start stop | open close | add remove | mutable immutable | public private | required optional
  any only | anyone only | faster slower | fast slow | larger smaller | higher lower | longer shorter | quicker longer | less longer
  left right | client server | primary standby | temporary permanent | positive negative | success failure | succeed fail
  same different | equal unequal | safe unsafe | visible hidden | online offline | local remote | sync async
  synchronous asynchronous | manual automatic | manually automatically | possible impossible | supported unsupported
  first last | early late | up down | even odd | ordered unordered | signed unsigned | mandatory optional | strict lenient
  encrypted unencrypted | recursive nonrecursive | greedy lazy | inclusive exclusive | read-only writable | case-sensitive case-insensitive
  deprecated recommended | relative absolute | parent child | begin end
`

const groups = same
  .split(/[|\n]/u)
  .map((group) => group.trim().split(/\s+/u).map(rootOf))
  .filter((group) => group[0] !== '')
const meaning = new Map<string, Set<string>>()
for (const group of groups) {
  for (const word of group)
    for (const other of group) meaning.set(word, (meaning.get(word) ?? new Set()).add(other))
}

const contraries = new Map<string, Set<string>>()
for (const pair of opposite.split(/[|\n]/u)) {
  const [one, other] = pair.trim().split(/\s+/u).map(rootOf)
  if (one === undefined || other === undefined) continue
  contraries.set(one, (contraries.get(one) ?? new Set()).add(other))
  contraries.set(other, (contraries.get(other) ?? new Set()).add(one))
}

const none: ReadonlySet<string> = new Set()

/** Stems that may stand for the stem, itself among them where it has any. */
export function sameAs(root: string): ReadonlySet<string> {
  return meaning.get(root) ?? none
}

/** Stems that say the contrary; of `unchanged` also `chang` and what says the same. */
export function contrariesOf(root: string): ReadonlySet<string> {
  const known = contraries.get(root) ?? none
  const positive = /^un(?=\p{L}{4})/u.test(root) ? root.slice(2) : null
  return positive === null ? known : new Set([...known, positive, ...sameAs(positive)])
}
