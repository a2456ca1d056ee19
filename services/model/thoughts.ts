// Leaves out what a model thinks aloud: open models behind plain servers put it before the answer, as
// `<think>…</think>`.

const open = '<think>'
const close = '</think>'

/**
 * Takes the answer's text as it comes and gives what of it the reader may see, at once but for what may still turn out to
 * be `<think>` or `</think>`. Only a block at the very beginning is one of thoughts.
 *
 *   "<thi" "nk>Let me see.</th" "ink>\n\nCall " "f()."  →  "" "" "Call " "f()."
 */
export function createThoughtFilter(): (text: string) => string {
  let state: 'beginning' | 'thinking' | 'answering' = 'beginning'
  let held = ''
  return (text) => {
    if (state === 'answering') return text
    held += text
    if (state === 'beginning') {
      const start = held.trimStart()
      if (open.startsWith(start.slice(0, open.length)) && start.length < open.length) return ''
      state = start.startsWith(open) ? 'thinking' : 'answering'
    }
    if (state === 'thinking') {
      const end = held.indexOf(close)
      const rest = end < 0 ? '' : held.slice(end + close.length).trimStart()
      // White space between thoughts and answer may come in pieces.
      if (!rest) held = end < 0 ? held.slice(-close.length) : close
      if (!rest) return ''
      held = rest
      state = 'answering'
    }
    return held
  }
}
