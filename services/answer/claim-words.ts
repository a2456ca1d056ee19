// English words by what they do in a claim, for the check of citations.
import { rootOf } from './word-root.ts'

/** They tell nothing of a subject. */
export const empty = new Set(
  `a an and are as at be been but by can could do does did done for from had has have he her his how i if in into is it
  its itself me my of or our out shall she should so some such than that the their them then there these they this those
  being thus to too unless except must up us use used uses using want was way we were what when where which while who why will with would you your
  also again however therefore because since though although both either each every other another own same very
  just simply actually even yet still may might about via per e.g i.e etc here get got make see note example following
  against across along among beside toward towards onto off once upon until during within between among whether thing something anything one two s t re set sets setting version really
  python postgresql documentation`.split(/\s+/u),
)
/** They deny the next words of the clause. */
export const deniers = new Set(
  `not never cannot nor neither cant dont doesnt isnt arent wont didnt wasnt shouldnt mustnt neednt unable`.split(
    ' ',
  ),
)
export const lacking = new Set(
  'none null false off missing invalid avoid prevent lost zero empty unset omitted absent disabled lack fail'.split(
    ' ',
  ),
)
/** They deny, and say nothing themselves; the first ones what follows at once. */
export const denyingNext = new Set('without no'.split(' '))
export const linking = new Set('without no nothing nobody none'.split(' '))
/** They deny by what they say: `disables pruning`. */
export const negating = new Set(
  `disable disables disabling prevent prevents preventing suppress suppresses suppressing avoid avoids avoiding forbid forbids
  prohibit prohibits refuse refuses omit omits omitting skip skips skipping inhibit inhibits stops`.split(
    /\s+/u,
  ),
)
/** They go with any subject; adverbs do too. */
export const general = new Set(
  `function method class call value option parameter argument property attribute setting command object instance result case
  kind type form name number able happen occur perform work run cause specify provide pass give need want new existing
  already current certain specific particular given whole entire complete certain various different similar available possible
  necessary required simple easy exact direct explicit default behavior behaviour mode operation process action ability
  purpose effect reason include contain apply affect support allow recommend thing based take on`
    .split(/\s+/u)
    .map(rootOf),
)
