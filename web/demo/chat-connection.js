// The socket of the chat: opened when something is to be said, and tried again after a loss, slower each time. It sends
// nothing by itself.

/** Milliseconds before each new try; the last one again and again. */
const pauses = [500, 1_000, 2_000, 4_000, 8_000, 15_000]

/**
 * `heard`: `frame(object)`, `lost(code)` when an open socket goes, `state(name)` with `closed`, `connecting`, `open`, or
 * `waiting` for the next try. `open()` makes a WebSocket.
 */
export function createConnection({ open, heard }) {
  let socket = null
  let state = 'closed'
  let opening = null
  let failures = 0
  let timer = null

  function become(next) {
    if (state === next) return
    state = next
    heard.state(next)
  }

  /** Resolves when the socket is open; rejects when this try fails. */
  function connect() {
    if (opening) return opening
    clearTimeout(timer)
    const mine = open()
    socket = mine
    become('connecting')
    opening = new Promise((resolve, reject) => {
      mine.addEventListener('open', () => {
        failures = 0
        become('open')
        resolve()
      })
      mine.addEventListener('message', ({ data }) => socket === mine && hear(data))
      mine.addEventListener('close', ({ code }) => {
        reject(new Error('the connection is closed'))
        if (socket === mine) end(code)
      })
    })
    opening.catch(() => {})
    return opening
  }

  function hear(data) {
    const frame = readJson(data)
    if (frame !== undefined) heard.frame(frame)
  }

  function end(code) {
    const wasOpen = state === 'open'
    socket = null
    opening = null
    become('closed')
    if (wasOpen) heard.lost(code)
  }

  return {
    connect,
    send: (message) => socket.send(JSON.stringify(message)),
    /** Hangs up; what was under way on it is not told as lost. */
    close() {
      clearTimeout(timer)
      const mine = socket
      socket = null
      opening = null
      become('closed')
      mine?.close()
    },
    /** The network has gone: the socket may not notice for minutes. */
    drop() {
      const mine = socket
      if (mine) end()
      mine?.close()
    },
    /** Tries until the socket is open. */
    recover() {
      clearTimeout(timer)
      become('waiting')
      timer = setTimeout(
        () => connect().catch(() => this.recover()),
        pauses[Math.min(failures++, pauses.length - 1)],
      )
    },
  }
}

function readJson(data) {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
