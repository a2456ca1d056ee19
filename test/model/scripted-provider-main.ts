// `node test/model/scripted-provider-main.ts --port 9000 --tokens 100 --gap 20`: the scripted provider as a process of its
// own, for benchmarks and for trying Lectern out. With --stamp each token is the time it was sent at, in microseconds
// since 1970 and a space, so that a reader on the same machine can tell the delay. Prints its base address.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openScriptedProvider } from './scripted-provider.ts'
import { toTokens } from './scripts.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9000' },
    text: { type: 'string', default: 'It is in the documentation [1].' },
    stamp: { type: 'boolean', default: false },
    /** Of an answer; with --stamp only. */
    tokens: { type: 'string', default: '100' },
    /** Milliseconds between two tokens. */
    gap: { type: 'string', default: '20' },
    /** Milliseconds before the first. */
    first: { type: 'string', default: '0' },
  },
})

const texts = values.stamp ? new Array<null>(Number(values.tokens)).fill(null) : toTokens(values.text)
const stamp = () => `${Math.round((performance.timeOrigin + performance.now()) * 1000)} `

const provider = await openScriptedProvider(Number(values.port))
provider.chat.fallback = async (call) => {
  call.open()
  await pause(Number(values.first))
  for (const [n, text] of texts.entries()) {
    if (n > 0) await pause(Number(values.gap))
    await call.token(text ?? stamp())
  }
  await call.end()
}
process.stdout.write(`${provider.url}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => provider.close())
