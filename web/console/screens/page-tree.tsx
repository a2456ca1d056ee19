// The pages of a project as a tree of folders, with the number of pages by state, one level at a time.
import { projectHref } from '../address.ts'
import { useLoad } from '../load.ts'
import { Failure } from '../parts/notices.tsx'
import { formatCount, formatNumber } from '../parts/values.tsx'
import { remedies } from '../remedies.ts'
import type { PageCountsBelow, StateCounts } from '../rows.ts'
import { api } from '../session.ts'
import { projectPath } from '../sources.ts'

const states = ['indexed', 'skipped', 'failed', 'pending'] as const
const shownFolders = 60
const shownReasons = 8

const sum = (counts: StateCounts) => states.reduce((total, name) => total + counts[name], 0)

/** Folders before pages, large ones first. */
function compare(a: { url: string } & StateCounts, b: typeof a): number {
  return Number(b.url.endsWith('/')) - Number(a.url.endsWith('/')) || sum(b) - sum(a)
}

/** `url`: the open folder; '' for all hosts. */
export function PageTree({ slug, url }: { slug: string; url: string }) {
  const { value, error, reload } = useLoad((signal) => readCounts(slug, url, signal), [slug, url], 10_000)
  if (error) return <Failure error={error} onRetry={reload} />
  if (value === null || sum(value) === 0) return null
  const folders = value.folders.toSorted(compare).slice(0, shownFolders)
  const most = Math.max(1, ...folders.map(sum))
  return (
    <div class="card">
      <div class="row">
        <h2>{formatCount(sum(value), 'address', 'addresses')}</h2>
        {states
          .filter((name) => value[name] > 0)
          .map((name) => (
            <a key={name} href={projectHref(slug, 'pages', { url, status: name })}>
              <span class={`swatch page-${name}`} aria-hidden="true" />
              {formatNumber(value[name])} {name}
            </a>
          ))}
      </div>
      {value.reasons.length > 0 && (
        <p class="quiet">
          {value.reasons.slice(0, shownReasons).map(({ reason, status, count }, at) => (
            <span key={status + reason}>
              {at > 0 && ' · '}
              <a href={projectHref(slug, 'pages', { url, status, reason })}>
                {remedies[reason]?.title ?? reason}
              </a>{' '}
              {formatNumber(count)}
            </span>
          ))}
        </p>
      )}
      {folders.length > 0 && (
        <details>
          <summary>By folder</summary>
          {url !== '' && (
            <p>
              <a href={projectHref(slug, 'pages', { url: toParent(url) })}>One folder up</a>
            </p>
          )}
          <ul class="tree">
            {folders.map((folder) => (
              <li key={folder.url}>
                <a href={toHref(slug, folder.url)} title={folder.url}>
                  {folder.url.slice(value.below.length) || '(this address)'}
                </a>
                <StateBar counts={folder} share={sum(folder) / most} />
                <span class="number">{formatNumber(sum(folder))}</span>
              </li>
            ))}
          </ul>
          {value.folder_count > folders.length && (
            <p class="quiet">
              {formatCount(
                value.folder_count - folders.length,
                'more folder or page',
                'more folders and pages',
              )}
            </p>
          )}
        </details>
      )}
    </div>
  )
}

/** Opens a folder that is the only one at its level. */
async function readCounts(slug: string, url: string, signal: AbortSignal) {
  let below = url
  for (;;) {
    const counts = await api.get<PageCountsBelow>(projectPath(slug, 'pages/counts/'), { url: below }, signal)
    const [only, ...others] = counts.folders
    if (!only?.url.endsWith('/') || others.length > 0 || only.url === below) return { ...counts, below }
    below = only.url
  }
}

function toHref(slug: string, url: string): string {
  return url.endsWith('/') ? projectHref(slug, 'pages', { url }) : projectHref(slug, 'pages/lookup', { url })
}

/** `https://host/a/b/` → `https://host/a/`; the parent of a host is ''. */
function toParent(url: string): string {
  const parent = url.replace(/[^/]*\/?$/, '')
  return /^https?:\/\/$/i.test(parent) ? '' : parent
}

function StateBar({ counts, share }: { counts: StateCounts; share: number }) {
  const total = Math.max(1, sum(counts))
  let x = 0
  const label = states.map((name) => `${counts[name]} ${name}`).join(', ')
  return (
    <svg class="outcomes" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label={label}>
      {states.map((name) => {
        const width = (counts[name] / total) * share * 1_000
        x += width
        return <rect key={name} class={`page-${name}`} x={x - width} width={width} height="20" />
      })}
    </svg>
  )
}
