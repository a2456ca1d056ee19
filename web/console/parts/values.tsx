// Formats values: states as a dot with a word, times, numbers, addresses.
import type { ComponentChildren } from 'preact'

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle'

/** The color is always accompanied by the word. */
export function Dot({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class="state">
      <span class={`dot ${tone}`} aria-hidden="true" />
      {children}
    </span>
  )
}

const tones: Record<string, Tone> = {
  ...{ queued: 'busy', running: 'busy', completed: 'good', failed: 'bad', cancelled: 'idle' },
  ...{ indexed: 'good', skipped: 'warn', pending: 'idle', unknown: 'idle' },
  ...{ ok: 'good', unchanged: 'good', dropped: 'warn' },
  ...{ answered: 'good', pointed: 'warn', refused: 'bad' },
  ...{ info: 'idle', warning: 'warn', error: 'bad' },
}

interface EndedRun {
  status: string
  sources_failed: number
}

/** A run that completed without some of its sources needs attention. */
export function RunState({ run: { status, sources_failed } }: { run: EndedRun }) {
  if (status !== 'completed' || sources_failed === 0) return <State name={status} />
  return <Dot tone="warn">completed, {formatCount(sources_failed, 'source')} failed</Dot>
}

/** A state by its name in the API. `text` replaces the name. */
export function State({ name, text = name }: { name: string; text?: string }) {
  return <Dot tone={tones[name] ?? 'idle'}>{text.replaceAll('_', ' ')}</Dot>
}

const numbers = new Intl.NumberFormat('en')
export const formatNumber = (value: number) => numbers.format(value)
export const formatCount = (count: number, one: string, many = `${one}s`) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** “3 minutes ago”, with the exact time on hover. */
export function When({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) return <span class="quiet">{none}</span>
  return (
    <time dateTime={at} title={times.format(new Date(at))}>
      {formatAge(at)}
    </time>
  )
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** `17:42:03`, with the day on hover. */
export function Clock({ at }: { at: string }) {
  return (
    <time dateTime={at} title={times.format(new Date(at))}>
      {clock.format(new Date(at))}
    </time>
  )
}

function formatAge(at: string): string {
  const seconds = Math.round((Date.parse(at) - Date.now()) / 1_000)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}

/** `1 min 5 s`, without line breaks. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return '<\u00a01\u00a0s'
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds}\u00a0s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}\u00a0min\u00a0${seconds % 60}\u00a0s`
  return `${Math.floor(seconds / 3_600)}\u00a0h\u00a0${Math.floor((seconds % 3_600) / 60)}\u00a0min`
}

/** A link to a page of a site. Text if it is not a web address. */
export function Outside({ url, children }: { url: string; children?: ComponentChildren }) {
  if (!/^https?:\/\//i.test(url)) return <>{children ?? url}</>
  return (
    <a class="outside" href={url} target="_blank" rel="noopener noreferrer">
      {children ?? url}
    </a>
  )
}

/** An address without its host, which is usually the same in a list. */
export function toPath(url: string): string {
  return /^https?:\/\/[^/?#]+(\/.*)$/is.exec(url)?.[1] ?? url
}

/** A share, as a bar and in words. */
export function Meter({ label, value, max }: { label: string; value: number; max: number }) {
  return <progress aria-label={label} value={value} max={Math.max(1, max)} />
}

/** A name with its value, in `<dl class="facts">`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
