// English words that any question may hold: a small manual that lacks one of them is not asked about something else.
import { stem } from '../index/stem.ts'

const words = `able actually again ago all allow almost alone already also always another answer anyone anything apply around
  ask avoid away back bad become before begin behave best better between big both break bring cause certain change check
  choose clear close come common complete correct couple cover create current date day deal decide default describe detail
  differ difference different difficult do each easy easily either else empty end enough even ever every everyone
  everything exactly example exist explain fail far fast few fewer find first fix follow former forget full further general
  give go good great guide half handle happen hard have help here hi hello hour idea important inside instead issue just
  keep kind know large last late later latter learn least leave less let like likely list little live long longer look
  lose lot main make manage many matter may maybe mean mention might minute miss month more most move much must name near
  necessary need never new next normal nothing now number obtain occur often okay old once one only open option order
  other otherwise outside part people perform person place please point possible prevent previous probably problem proper
  properly provide purpose put question quick quickly quite rather reach read ready real really reason receive recommend
  related remain remember remove require rest result return right run same say second see seem send separate set several
  short should show similar simple simply since slow small someone something sometimes soon sort specific start state stay
  step still stop sure switch take talk tell ten than thank thanks thing think though three through time today together
  tool top total true try turn two type under understand unless until usage useful user usual usually value various very
  wait watch way week well whether whole work worth would write wrong year yes yet
  began begun broke broken built came chose chosen first second third fourth fifth found gave given gone got held kept knew
  known left lost made meant met paid ran said saw seen sent shown spoke stood taken thought told took went wrote written hey
  dear ok cheers regards rid per stuff lots bit about above across against along among behind below beside beyond down except front hand near
  off onto over side toward towards upon`

const everyday: ReadonlySet<string> = new Set(words.split(/\s+/u).flatMap((word) => [word, stem(word)]))

/** `word`: folded. */
export function isEveryday(word: string): boolean {
  return everyday.has(word) || everyday.has(stem(word))
}
