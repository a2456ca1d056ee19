// The events of the event log. Ids derive from the content, so that writing an event again changes nothing.
import type { PagePart } from '../crawler/extract/page.ts'
import type { FailReason, Outcome, RunEvent, RunEventType, SkipReason } from '../services/store/run.ts'

interface PageEventForm {
  type: RunEventType
  level: RunEvent['level']
  message: string
}

const pageEvents: { [Ending in Outcome]: PageEventForm | null } = {
  added: { type: 'page_added', level: 'info', message: 'The page is new.' },
  updated: { type: 'page_updated', level: 'info', message: 'The page has changed.' },
  unchanged: null,
  skipped: { type: 'page_skipped', level: 'info', message: '' },
  failed: { type: 'page_failed', level: 'warning', message: '' },
}

const partNames: { [Part in PagePart]: string } = {
  title: 'its title',
  name: 'a name on it',
  anchor: 'an anchor',
  version: 'its version',
  keywords: 'its keywords',
  links: 'its links',
  sections: 'its sections: only its beginning can be found',
}

function cutMessage(cut: PagePart[]): string {
  return `Cut or left out because it is too long: ${cut.map((part) => partNames[part]).join(', ')}.`
}

/** Returns null if the outcome has no event. */
export function pageEvent(
  outcome: Outcome,
  ending: { reason: SkipReason | FailReason | null; message: string; cut?: PagePart[] },
  about: { url: string; source: string | null; at: string },
): RunEvent | null {
  const form = pageEvents[outcome]
  if (form === null) return null
  const { cut = [] } = ending
  return {
    id: `page:${about.url}`,
    at: about.at,
    level: cut.length > 0 ? 'warning' : form.level,
    type: form.type,
    url: about.url,
    sourceUuid: about.source,
    reason: ending.reason,
    message: cut.length > 0 ? `${form.message} ${cutMessage(cut)}` : ending.message || form.message,
  }
}

const removedMessages: Record<string, string> = {
  gone: 'The page is gone: the server says so.',
  unlisted: 'No source lists the page any more.',
}

/** `reason`: why the page was left out in this run, or `unlisted`. `source`: the one that it belonged to. */
export function removedEvent(url: string, reason: string, source: string | null, at: string): RunEvent {
  return {
    ...{ id: `removed:${url}`, at, level: 'info', type: 'page_removed', url, sourceUuid: source, reason },
    message: removedMessages[reason] ?? 'The page is no longer indexed.',
  }
}

/** `id`: required if a source has several events of the type. */
export type MoreOfEvent = Partial<Pick<RunEvent, 'id' | 'level' | 'sourceUuid' | 'url' | 'reason'>>

/** An event of the run or of one of its sources. */
export function runEvent(type: RunEventType, at: string, message: string, more: MoreOfEvent = {}): RunEvent {
  const id = more.sourceUuid ? `${type}:${more.sourceUuid}` : type
  return { id, at, level: 'info', type, url: null, sourceUuid: null, reason: null, message, ...more }
}
