// Counts of a project's addresses: by outcome, reason and folder, and of those that a source would take.
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { CountPagesResponseSchema, MatchPagesResponseSchema } from '../../gen/lectern/v1/page_pb.js'
import { PageStatus as Status } from '../../gen/lectern/v1/page_pb.js'
import { toEnum } from '../message.ts'
import { findScope } from '../source/source-scope.ts'
import type { AddressFilter } from '../store/address.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'
import { listAddresses } from './page-list.ts'

const maxFolders = 1_000

const noPages = () => ({ indexed: 0, skipped: 0, failed: 0, pending: 0 })

export async function countPages(
  store: Store,
  project: string,
  filter: Pick<AddressFilter, 'urlPrefix' | 'sourceUuid'>,
): Promise<MessageInitShape<typeof CountPagesResponseSchema>> {
  const { urlPrefix = '' } = filter
  const total = noPages()
  const reasons = new Map<string, { status: Status; reason: string; count: number }>()
  const folders = new Map<string, { url: string } & ReturnType<typeof noPages>>()
  for await (const addresses of listAddresses(store, project, filter)) {
    for (const { url, status, reason } of addresses) {
      total[status] += 1
      const folder = toFolder(url, urlPrefix.length)
      const counts = folders.get(folder) ?? { url: folder, ...noPages() }
      counts[status] += 1
      folders.set(folder, counts)
      if (reason === null) continue
      const key = `${status} ${reason}`
      const known = reasons.get(key) ?? { status: toEnum(Status, status), reason, count: 0 }
      known.count += 1
      reasons.set(key, known)
    }
  }
  const byAddress = [...folders.values()].toSorted((a, b) => (a.url < b.url ? -1 : 1))
  return {
    ...total,
    reasons: [...reasons.values()].toSorted((a, b) => b.count - a.count),
    folders: byAddress.slice(0, maxFolders),
    folderCount: byAddress.length,
  }
}

/** The address up to the first slash after `from`: `https://a.org/b/c` → `https://a.org/` from 0, `https://a.org/b/` from 14. */
function toFolder(url: string, from: number): string {
  const slash = url.indexOf('/', Math.max(from, url.indexOf('//') + 2))
  return slash < 0 ? url : url.slice(0, slash + 1)
}

/** Addresses that are compared, and milliseconds that it may take: globs of strangers may be slow. */
const maxCompared = 200_000
const maxTime = 2_000
const maxExcluded = 20

export async function matchPages(
  store: Store,
  project: string,
  source: Source,
): Promise<MessageInitShape<typeof MatchPagesResponseSchema>> {
  const scope = findScope(source)!
  const begun = performance.now()
  const counts = { matched: 0, total: 0, excluded: [] as string[], isWhole: true }
  let compared = 0
  for await (const addresses of listAddresses(store, project)) {
    for (const { url } of addresses) {
      if (++compared > maxCompared || performance.now() - begun > maxTime)
        return { ...counts, isWhole: false }
      const verdict = scope.admits(url)
      if (verdict === 'out') continue
      counts.total += 1
      if (verdict === 'in') counts.matched += 1
      else if (counts.excluded.length < maxExcluded) counts.excluded.push(url)
    }
  }
  return counts
}
