// The corpus of both manuals as a site of any size, and what readers type into it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readKeystrokes } from '../latency/keystrokes.ts'
import { largeManuals } from '../site/manuals.ts'
import type { Mount } from '../site/mount.ts'
import { openSite } from '../site/open-site.ts'
import { type CorpusPart, sectionsPerPage } from './corpus.ts'
import { readSections } from './sections.ts'

export type Corpus = ReturnType<typeof writeCorpus>

export function writeCorpus() {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-corpus-'))
  const parts: CorpusPart[] = largeManuals.flatMap((manual) =>
    readSections(manual).map(({ heading, text }) => ({ heading, text })),
  )
  const file = join(folder, 'sections.json')
  writeFileSync(file, JSON.stringify(parts))
  return {
    keystrokes: readKeystrokes(parts),
    /** Serves it at `/corpus/`, next to other sites. */
    open: (sections: number, ...others: Mount[]) =>
      openSite([
        { kind: 'corpus', path: '/corpus/', file, pages: Math.ceil(sections / sectionsPerPage) },
        ...others,
      ]),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
