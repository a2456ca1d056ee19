// Pairs of a claim and a passage, many of them unsupported, through the check of citations: `pairs.json` about the two
// manuals, `pairs-other.json` about other documentation.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extract } from '../../../crawler/extract/extract.ts'
import { titleOf } from '../../../services/answer/passage-title.ts'
import { doubtOf } from '../../../services/answer/support.ts'
import { toPieces } from '../../../services/index/passages.ts'
import { headsOf } from '../../../services/index/units.ts'
import { manualFolder, readManual } from '../../../services/main/manual.ts'
import { largeManuals } from '../site/manuals.ts'

export type Half = 'open' | 'closing'

interface Pair {
  id: string
  set: Half
  manual: string
  /** Path of the page and the section's anchor. */
  section: string
  /** The passage itself, where it is not the whole section. */
  passage?: string
  claim: string
  supported: boolean
}

export interface ClaimScore {
  pairs: string
  half: Half
  count: number
  right: number
  'supported, but doubted': number
  'unsupported, but accepted': number
}

/** Folders of HTML: of the manuals, and of Debian's `git-doc` and `nodejs`. */
const folders: Record<string, string> = {
  ...Object.fromEntries(largeManuals.map(({ name, root }) => [name, root])),
  git: '/usr/share/doc/git-doc',
  node: '/usr/share/doc/nodejs/api',
}
const files = {
  'of the manuals': 'pairs.json',
  'of other documentation': 'pairs-other.json',
  independent: 'pairs-independent.json',
}

/** A row for each file. `told` gets each pair that is judged wrongly. */
export async function judgeClaims(
  half: Half,
  told: (pair: Pair, doubt: string | null) => void = () => {},
): Promise<ClaimScore[]> {
  const readPage = createPageReader()
  const scores: ClaimScore[] = []
  for (const [name, file] of Object.entries(files)) {
    const pairs: Pair[] = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
    const judged: { supported: boolean; isAccepted: boolean }[] = []
    for (const pair of pairs.filter(({ set }) => set === half)) {
      const doubt = doubtOf({ kind: 'prose', text: pair.claim }, await readPassage(pair, readPage))
      judged.push({ supported: pair.supported, isAccepted: doubt === null })
      if (pair.supported !== (doubt === null)) told(pair, doubt)
    }
    if (judged.length === 0) continue
    const count = (supported: boolean, isAccepted: boolean) =>
      judged.filter((pair) => pair.supported === supported && pair.isAccepted === isAccepted).length
    scores.push({
      pairs: name,
      half,
      count: judged.length,
      right: (count(true, true) + count(false, false)) / judged.length,
      'supported, but doubted': count(true, false),
      'unsupported, but accepted': count(false, true),
    })
  }
  return scores
}

/** HTML of a page of a manual; Lectern's own is rendered from its Markdown. */
function createPageReader() {
  let own: ReturnType<typeof readManual> | null = null
  return async (manual: string, page: string): Promise<string> => {
    if (manual !== 'lectern') return readFileSync(join(folders[manual]!, page), 'utf8')
    own ??= readManual(manualFolder)
    return String((await own).get(page)!.body)
  }
}

/** The whole section, as chat is given it. */
async function readPassage(
  { manual, section, passage }: Pair,
  readPage: (manual: string, page: string) => Promise<string>,
): Promise<{ title: string; text: string }> {
  if (passage !== undefined) return { title: '', text: passage }
  const [page, anchor] = section.split('#')
  const { sections, title } = extract(await readPage(manual, page!), `http://127.0.0.1/${page}`)
  const found = sections.find((each) => headsOf(each).some((head) => head.anchor === anchor))
  if (found === undefined) throw new Error(`${manual}: no section ${section}`)
  const blocks = toPieces(found.blocks).flat()
  const text = blocks.map((block) => (block.kind === 'code' ? `\`\`\`\n${block.text}\n\`\`\`` : block.text))
  return { title: titleOf({ title: found.heading, pageTitle: title, path: [] }), text: text.join('\n\n') }
}
