// Lectern's gateway and core in a separate process, like the product, with two scripts instead of answers:
// `flood N` streams N tokens as fast as they are read; `pace N MS` one every MS milliseconds, give or take a half, each
// with the time of its creation, the first also with the time of the core's call.
import { setTimeout as pause } from 'node:timers/promises'
import { final, openChatLab, token } from '../../e2e/gateway/chat-lab.ts'
import { toFirstStamp, toStamp } from './stamp.ts'
import { words } from './words.ts'

async function* flood(count: number) {
  for (let at = 0; at < count; at++) yield token(words[at % words.length]!, at === 0)
  yield final('done')
}

async function* pace(count: number, ms: number) {
  const called = process.hrtime.bigint()
  for (let at = 0; at < count; at++) {
    await pause(ms * (0.5 + Math.random()))
    const written = process.hrtime.bigint()
    yield token(`${at === 0 ? toFirstStamp(written, called) : toStamp(written)} `, at === 0)
  }
  yield final('done')
}

const lab = await openChatLab(
  {},
  {
    fallback({ message }) {
      const [name, count, ms] = message.split(' ')
      return name === 'flood' ? flood(Number(count)) : pace(Number(count), Number(ms))
    },
  },
)
process.send?.({ port: lab.port })

process.once('disconnect', () => process.exit())
