// Pairs of a claim and a passage of a manual, half of them unsupported, through the check of citations.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extract } from '../../../crawler/extract/extract.ts'
import { doubtOf } from '../../../services/chat/support.ts'
import { toPieces } from '../../../services/index/passages.ts'
import { manuals } from '../site/manuals.ts'
import type { Half } from './chat-questions.ts'

interface Pair {
  set: Half
  manual: string
  /** Path of the page and the section's anchor. */
  section: string
  claim: string
  supported: boolean
}

export interface ClaimScore {
  half: Half
  pairs: number
  right: number
  'supported, but doubted': number
  'unsupported, but accepted': number
}

export function judgeClaims(half: Half): ClaimScore {
  const pairs: Pair[] = JSON.parse(readFileSync(new URL('pairs.json', import.meta.url), 'utf8'))
  const judged = pairs
    .filter((pair) => pair.set === half)
    .map((pair) => {
      const isAccepted = doubtOf({ kind: 'prose', text: pair.claim }, readPassage(pair)) === null
      return { ...pair, isAccepted }
    })
  const count = (supported: boolean, isAccepted: boolean) =>
    judged.filter((pair) => pair.supported === supported && pair.isAccepted === isAccepted).length
  return {
    half,
    pairs: judged.length,
    right: (count(true, true) + count(false, false)) / judged.length,
    'supported, but doubted': count(true, false),
    'unsupported, but accepted': count(false, true),
  }
}

/** The whole section, as chat is given it. */
function readPassage({ manual, section }: Pair): { title: string; text: string } {
  const [page, anchor] = section.split('#')
  const { root } = manuals.find(({ name }) => name === manual)!
  const { sections } = extract(readFileSync(join(root, page!), 'utf8'), `http://127.0.0.1/${page}`)
  const found = sections.find((each) => each.anchor === anchor)!
  const blocks = toPieces(found.blocks).flat()
  const text = blocks.map((block) => (block.kind === 'code' ? `\`\`\`\n${block.text}\n\`\`\`` : block.text))
  return { title: found.heading, text: text.join('\n\n') }
}
