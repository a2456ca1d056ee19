// Words of documentation that say the same, and words that contradict each other, for the check of citations.
import { familyOf, rootOf } from './word-root.ts'

const same = `
  begin start launch initiate commence open spawn | end finish terminate stop complete exit conclude quit | create spawn open
  remove delete drop erase discard destroy clean purge clear prune eliminate | make create build construct produce generate form add
  return give yield answer provide | raise throw reraise trigger cause emit produce | error exception fault failure
  argument parameter option setting flag switch | need require must demand necessary want | run execute invoke call perform fire
  set assign specify configure define | reply respond answer return | name call | kill terminate cancel end stop
  supply provide pass give specify offer | see view show display | show display print output report list reveal | keep preserve retain hold store save remain stay maintain
  allow permit enable let accept | change modify alter update adjust edit affect | convert transform coerce turn become change
  get obtain fetch retrieve receive read acquire | contain include hold comprise | folder directory dir | big large huge | small little tiny
  fast quick rapid | whole entire complete full all | calculate compute evaluate determine decide | list name enumerate | recommend advise suggest advisable should
  forbid prohibit disallow refuse deny reject prevent | reach expire exceed elapse pass | method function routine call | own belong
  match equal fit correspond | wait block pause delay sleep | usual typical normal default standard common | cancel abort interrupt
  several multiple many numerous various | initial first original | limit bound maximum most restrict cap | minimum least
  guarantee ensure promise assure | exist existing present already | treat regard consider count take handle
  time duration period interval timeout long delay | object instance | location place position path | reclaim free recover release
  lose drop | write record store save log | default standard | sole only just solely exclusive | memory ram | statement query command
  ask request prompt | choose select pick opt decide | join combine merge concatenate unite consolidate | split divide separate partition
  ascending increasing | descending decreasing | threadsafe thread-safe | resist resistant | concurrent simultaneous parallel
  differ different distinct vary | automatic natural | equal same identical | roll rollback revert undo restore reset | prepared ready
  row record tuple entry | unlimited arbitrary any infinite infinity | precede before earlier prior previous | follow after later next subsequent
  try attempt retry retried tried repeat | obey respect honor honour follow heed comply | descend recurse traverse
  ignore skip disregard omit overlook neglect | variant version form alternative | send transmit deliver pass forward transfer hand
  receive accept take get | search look find lookup locate | check verify test validate examine inspect judge | connect attach link join
  close shut | quiet silent | inactivity idle inactive | recent new late | old early previous former
  network intranet internal private | external public | address url uri link | copy duplicate clone replicate
  replace substitute swap overwrite | install deploy setup | explain describe detail | understand interpret parse read | mean signify denote refer
  reference refer point name | own private personal | user client visitor reader person people | developer programmer | use employ utilize apply
  happen occur arise | cause trigger provoke make | help assist | protect guard secure prevent defend | damage corrupt corruption harm break
  safe secure | warn warning caution alert | note notice remark | expect anticipate await | accept take permit | text string | number integer count amount
  quantity amount | total sum overall | part portion piece section fraction | kind type sort class | way manner approach method mode
  simple easy basic plain | hard difficult | costly expensive slow | cheap inexpensive | speed performance | improve optimize enhance optimise
  register add subscribe | listener handler callback | lock block | unlock release | permission privilege right authority authorization
  grant give allow | revoke withdraw remove | own possess hold have | group set collection | sequence order series | empty blank nothing
  temporary transient throwaway ephemeral | permanent persistent durable | remote distant | share common | task job work
  worker process | distribute spread balance share | expand grow extend increase | shrink reduce decrease lower | raise increase
  limit quota | rate speed frequency | host server machine computer | site website | observe monitor watch | sanitize escape clean unsanitized
  attach associate connect bind link relate | preview show | scratch anew | stash save store | respond reply
  exceed over beyond above | below under | own self itself
  pause wait interval delay | truncate cut shorten | unreferenced unreachable | once single | equal identical | internal inner | external outer
`
const opposite = `
  enable disable | enabled disabled | before after | always never | true false | on off | upper lower | ascending descending | allow forbid | allow prevent
  fast slow | quick slow | long short | large small | big small | high low | single second | run stop | safe dangerous | include exclude | start end | start stop | open close | add remove | mutable immutable | public private | required optional
  any only | anyone only | left right | client server | primary standby | temporary permanent | positive negative | success failure | succeed fail
  same different | equal unequal | safe unsafe | visible hidden | online offline | local remote | sync async
  synchronous asynchronous | manual automatic | possible impossible | supported unsupported
  first last | up down | even odd | ordered unordered | signed unsigned | mandatory optional | strict lenient
  encrypted unencrypted | recursive nonrecursive | greedy lazy | inclusive exclusive | read-only writable | case-sensitive case-insensitive
  deprecated recommended | relative absolute | parent child | begin end | ignore obey | ignore respect | internal external | main linked
`
/** Words of more and words of less: any of one side contradicts any of the other. */
const more =
  'more larger greater higher longer maximum most bigger above exceed increase faster quicker later'
const less = 'less fewer smaller lower shorter minimum least below decrease slower earlier'

const groups = same
  .split(/[|\n]/u)
  .map((group) => group.trim().split(/\s+/u).map(rootOf))
  .filter((group) => group[0] !== '')
const meaning = new Map<string, Set<string>>()
for (const group of groups) {
  for (const word of group)
    for (const other of group) {
      const family = familyOf(other)
      const known = meaning.get(word) ?? new Set()
      meaning.set(word, family === null ? known.add(other) : known.add(other).add(family))
    }
}

const contraries = new Map<string, Set<string>>()
for (const pair of opposite.split(/[|\n]/u)) {
  const [one, other] = pair.trim().split(/\s+/u).map(rootOf)
  if (one === undefined || other === undefined) continue
  contraries.set(one, (contraries.get(one) ?? new Set()).add(other))
  contraries.set(other, (contraries.get(other) ?? new Set()).add(one))
}

for (const [one, other] of [
  [more, less],
  [less, more],
] as const)
  for (const word of one.split(' ').map(rootOf))
    contraries.set(word, new Set([...(contraries.get(word) ?? []), ...other.split(' ').map(rootOf)]))

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
