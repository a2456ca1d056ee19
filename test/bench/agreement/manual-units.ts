// The units of a real manual, created by Lectern's own extractor, as input for both drivers of the index port.
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { extract } from '../../../crawler/extract/extract.ts'
import type { Unit } from '../../../services/index/search-index.ts'
import { toUnits } from '../../../services/index/units.ts'
import type { Manual } from '../site/manuals.ts'

const version = 1

/** Units of the manual's pages below `within`, without its index pages. Takes some 20 s for a complete manual. */
export function readManualUnits(manual: Manual, within = '**/*.html'): Unit[] {
  const pages = globSync(within, { cwd: manual.root })
    .filter((path) => !manual.indexPages.some((glob) => matchesGlob(path, glob)))
    .toSorted()
  return pages.flatMap((path) => {
    const url = toUrl(manual, path)
    const { version: docVersion, ...extracted } = extract(readFileSync(join(manual.root, path), 'utf8'), url)
    const page = {
      uuid: toUuid(url),
      version,
      url,
      sourceType: 'site' as const,
      docVersion: null,
      language: null,
    }
    return toUnits(page, { ...extracted, docVersion })
  })
}

/** Path of the page in the manual. */
export const toPath = (manual: Manual, url: string) => url.split('#')[0]!.slice(toUrl(manual, '').length)

/** A section in the format of labels: the page's path in the manual with the section's anchor. */
export const toKey = (manual: Manual, { url, anchor }: Pick<Unit, 'url' | 'anchor'>) =>
  `${toPath(manual, url)}${anchor === null ? '' : `#${anchor}`}`

export const toUrl = ({ name }: Manual, path: string) => `http://127.0.0.1/${name}/${path}`

function toUuid(url: string): string {
  const digest = createHash('sha256').update(url).digest('hex')
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5')
}
