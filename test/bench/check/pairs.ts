// Pairs of a claim and a passage, some of them unsupported, for the check of citations.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnManual } from '../../../app/manual.ts'
import { extract } from '../../../crawler/extract/extract.ts'
import type { Pair } from '../../../services/answer/citation-check.ts'
import { toPieces } from '../../../services/index/unit-texts.ts'
import { listHeads } from '../../../services/index/units.ts'
import { judgedManuals, manuals } from '../site/manuals.ts'

export interface LabelledPair extends Pair {
  /** The set in which it is judged. */
  set: string
  /** Its topic: pairs of one topic are left out together when a threshold is fitted. */
  manual: string
  supported: boolean
  /** What is wrong, or how it is rephrased; null if its author did not say. */
  why: string | null
}

interface StoredPair {
  manual?: string
  /** Path of the page and the section's anchor; or the passage itself. */
  section?: string
  passage?: string
  claim: string
  supported: boolean
  why?: string
}

/** Not independent: the authors had seen or written the former check. */
const former = ['pairs.json', 'pairs-other.json']
const independent = 'pairs-independent.json'

export async function readPairs(withClosed: boolean): Promise<LabelledPair[]> {
  const readPage = createPageReader()
  const pairs: LabelledPair[] = []
  async function add(set: string, about: string | null, file: URL) {
    for (const stored of JSON.parse(readFileSync(file, 'utf8')) as StoredPair[]) {
      const manual = about ?? stored.manual!
      const { claim, supported, why = null } = stored
      const passage = await readPassage(manual, stored, readPage)
      pairs.push({ set, manual, claim: { kind: 'prose', text: claim }, passage, supported, why })
    }
  }
  for (const { name } of judgedManuals(withClosed)) {
    const file = new URL(`../manuals/${name}/pairs.json`, import.meta.url)
    if (existsSync(file)) await add(name, name, file)
  }
  await add('independent', null, new URL(independent, import.meta.url))
  for (const file of former) await add('former', null, new URL(file, import.meta.url))
  return pairs
}

/** Supported claims with unrelated passages of the same set, which represent citations of the wrong section. */
export function toMisplaced(pairs: LabelledPair[]): LabelledPair[] {
  const perClaim = 3
  return pairs
    .filter(({ supported }) => supported)
    .flatMap((pair, at) => {
      const others = pairs.filter(
        ({ manual, set, passage }) =>
          manual === pair.manual && set === pair.set && passage.text !== pair.passage.text,
      )
      return Array.from({ length: Math.min(perClaim, others.length) }, (_, n) => {
        const { passage } = others[(at * 7 + n * 13) % others.length]!
        return { ...pair, passage, supported: false, why: 'other section' }
      })
    })
}

/** HTML of a page of a manual; Lectern's own is rendered from its Markdown. */
function createPageReader() {
  return async (manual: string, page: string): Promise<string> => {
    const { root } = manuals.find(({ name }) => name === manual) ?? {}
    if (root !== undefined) return readFileSync(join(root, page), 'utf8')
    return String((await readOwnManual()).get(page)!.body)
  }
}

/** The complete section, as passed to chat. */
async function readPassage(
  manual: string,
  { section, passage }: StoredPair,
  readPage: (manual: string, page: string) => Promise<string>,
): Promise<{ title: string; text: string }> {
  if (passage !== undefined) return { title: '', text: passage }
  const [page, anchor] = section!.split('#')
  const { sections, title } = extract(await readPage(manual, page!), `http://127.0.0.1/${page}`)
  const found = sections.find((each) => listHeads(each).some((head) => head.anchor === anchor))
  if (found === undefined) throw new Error(`${manual}: no section ${section}`)
  const blocks = toPieces(found.blocks).flat()
  const text = blocks.map((block) => (block.kind === 'code' ? `\`\`\`\n${block.text}\n\`\`\`` : block.text))
  return { title: `${title}: ${found.heading}`, text: text.join('\n\n') }
}
