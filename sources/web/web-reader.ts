// Pages of the web, as far as robots.txt lets them be read.
import type { FetchResult } from '../../crawler/fetch.ts'
import type { Reading, SourceReader, SourceTools } from '../source-type.ts'

type WebTools = Pick<SourceTools, 'fetcher' | 'robots' | 'signal'>

export function createWebFetch({ fetcher, robots, signal }: WebTools): SourceReader['fetch'] {
  return async (url, known) => {
    if (!(await robots.allows(url, signal))) return toRefusal(robots.unread(url))
    return toReading(await fetcher.fetchPage(url, { ...known, signal, mayVisit: () => false }))
  }
}

function toRefusal(unread: ReturnType<WebTools['robots']['unread']>): Reading {
  return unread === null
    ? { kind: 'skipped', reason: 'robots', message: 'robots.txt does not allow it.', answered: false }
    : {
        kind: 'failed',
        reason: unread,
        message: 'robots.txt could not be read, so nothing may be asked for.',
        answered: false,
      }
}

function toReading(answer: FetchResult): Reading {
  if (answer.kind === 'gone') return { kind: 'gone', message: `The server answered ${answer.status}.` }
  if (answer.kind === 'skipped') return { ...answer, message: 'It is no text document.', answered: true }
  if (answer.kind !== 'page') return answer
  const { contentType, contentLanguage, xRobotsTag, etag, lastModified } = answer.headers
  const about = { contentType, language: contentLanguage, robotsTag: xRobotsTag }
  return { kind: 'document', body: answer.body, ...about, etag, lastModified }
}
