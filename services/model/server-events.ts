// Server-sent events as a stream of text is cut into them (WHATWG HTML, "Interpreting an event stream"), as far as
// providers use them: ids and times of reconnection are left out, for nothing is asked twice.

export interface ServerEvent {
  /** '' where the event names none. */
  name: string
  data: string
}

/** Most characters of an event: an answer of 200,000, each of them written as an escape, and more. */
const maxEventLength = 2_000_000

/** A `\r` at the end may be half of a line's end. */
const lineEnd = /\r\n|\n|\r(?!$)/g

/**
 * Takes text as it comes, cut anywhere, and gives the events that are whole by now. An event ends with an empty line; what
 * has no such end at the end of the stream is none. Throws where an event is longer than 2,000,000 characters.
 *
 *   'event: a\nda'  'ta: 1\ndata: 2\n\n: alive\n\n'  →  []  [{ name: 'a', data: '1\n2' }]
 */
export function createEventReader(): (text: string) => ServerEvent[] {
  /** A line that has not ended, and how far it is known to hold no end. */
  let rest = ''
  let searched = 0
  let name = ''
  let data: string | null = null

  return (text) => {
    const events: ServerEvent[] = []
    rest += text
    let begin = 0
    lineEnd.lastIndex = searched
    for (let end = lineEnd.exec(rest); end; end = lineEnd.exec(rest)) {
      const line = rest.slice(begin, end.index)
      begin = lineEnd.lastIndex
      if (line !== '') readLine(line)
      else {
        if (data !== null) events.push({ name, data })
        name = ''
        data = null
      }
    }
    rest = rest.slice(begin)
    searched = rest.endsWith('\r') ? rest.length - 1 : rest.length
    if (rest.length + (data?.length ?? 0) > maxEventLength) throw new Error('an event has no end')
    return events
  }

  function readLine(line: string): void {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') data = data === null ? value : `${data}\n${value}`
    else if (field === 'event') name = value
  }
}
