// Runs in the page before all else: notes what a reader waits for, in milliseconds of the page's clock.
{
  const notes = { focused: [], painted: [], tokens: [], longTasks: [], shift: 0 }
  window.notes = notes
  let shown = ''
  const until = async (isSo) => {
    while (!isSo()) await new Promise(requestAnimationFrame)
  }
  window.appears = (selector) =>
    until(() => document.querySelector('lectern-search').shadowRoot.querySelector(selector))
  window.shown = (query) => until(() => shown === query)
  let pressed = 0
  const afterPaint = (take) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = take
      port2.postMessage(null)
    })
  addEventListener('keydown', (event) => (pressed = event.timeStamp), true)
  // The field has the focus by then.
  addEventListener('lectern:open', () => {
    if (pressed > 0) notes.focused.push(performance.now() - pressed)
  })
  addEventListener('lectern:results', ({ detail }) => {
    const from = pressed
    pressed = 0
    afterPaint(() => {
      if (from > 0) notes.painted.push(performance.now() - from)
      shown = detail.query
    })
  })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) notes.longTasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) notes.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  const Socket = WebSocket
  window.WebSocket = class extends Socket {
    constructor(url) {
      super(url)
      let isFirst = true
      this.addEventListener('message', ({ data }) => {
        const frame = JSON.parse(data)
        if (frame.type === 'status') return
        if (frame.isPartial && isFirst) {
          const from = performance.now()
          const look = () => {
            const root = document.querySelector('lectern-search').shadowRoot
            const prose = [...root.querySelectorAll('.turn')].at(-1)?.querySelector('.prose')
            if (prose?.textContent) afterPaint(() => notes.tokens.push(performance.now() - from))
            else requestAnimationFrame(look)
          }
          look()
        }
        isFirst = frame.isPartial !== true
      })
    }
  }
}
