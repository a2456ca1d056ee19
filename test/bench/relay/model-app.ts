// An OpenAI-compatible model server in a separate process that writes tokens at a fixed pace. Each token contains the time
// when it was written; the first also the time of the request.
import { setTimeout as pause } from 'node:timers/promises'
import { openScriptedProvider } from '../../model/scripted-provider.ts'
import { toFirstStamp, toStamp } from './stamp.ts'

/** Answers are checked sentence by sentence, so these have realistic lengths. */
const wordsInSentence = 12

const [count, ms] = process.argv.slice(2).map(Number) as [number, number]

const provider = await openScriptedProvider()
provider.chat.fallback = async (call) => {
  const came = process.hrtime.bigint()
  call.open()
  for (let at = 0; at < count; at++) {
    await pause(ms * (0.5 + Math.random()))
    const isSentence = at % wordsInSentence === wordsInSentence - 1
    const written = process.hrtime.bigint()
    const stamp = at === 0 ? toFirstStamp(written, came) : toStamp(written)
    await call.token(`${stamp}${isSentence ? ' [1].' : ''} `)
  }
  await call.end('stop')
}
process.send?.({ url: provider.url })

process.once('disconnect', () => process.exit())
