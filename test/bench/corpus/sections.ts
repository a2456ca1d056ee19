// The sections of the real manuals, read by Lectern's own extractor, as input for every engine of a comparison.
import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { extract } from '../../../crawler/extract/extract.ts'
import { listHeads } from '../../../services/index/units.ts'
import type { Manual } from '../site/manuals.ts'

export interface ManualSection {
  /** Path of the page in the manual, such as `library/os.html`. */
  page: string
  anchor: string | null
  title: string
  heading: string
  path: string
  text: string
}

/** All sections, one for each name of a definition, without the manual's index pages. Takes some 20 s for a large manual. */
export function readSections(manual: Manual): ManualSection[] {
  const pages = globSync('**/*.html', { cwd: manual.root })
    .filter((path) => !manual.indexPages.some((glob) => matchesGlob(path, glob)))
    .toSorted()
  return pages.flatMap((page) => {
    const html = readFileSync(join(manual.root, page), 'utf8')
    const { title, sections } = extract(html, `http://127.0.0.1/${manual.name}/${page}`)
    return sections.flatMap((section) =>
      listHeads(section).map(({ heading, anchor }) => ({
        page,
        anchor,
        title,
        heading,
        path: section.path.join(' › '),
        text: section.blocks.map((block) => block.text).join('\n'),
      })),
    )
  })
}
