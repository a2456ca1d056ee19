// `npm run stack -- [--scale core=2 …] [--data folder]`: the services of docker-compose.yml without containers, with the
// servers that are built for the tests. Secrets come from the environment or from .env, as in compose.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { missingServers } from './binaries.ts'
import { buildServers } from './build.ts'
import { neededServers } from './stack/programs.ts'
import { openStack, type Stack } from './stack/stack.ts'

const { values } = parseArgs({
  options: {
    scale: { type: 'string', multiple: true, default: [] },
    data: { type: 'string', default: 'data/stack' },
  },
})

const say = (line: string) => void process.stdout.write(`${line}\n`)

function readScale(texts: string[]): Record<string, number> {
  return Object.fromEntries(
    texts.map((text) => {
      const [service, count] = text.split('=')
      if (!service || !/^[1-9]\d?$/.test(count ?? ''))
        throw new Error(`--scale takes service=number; got ${text}.`)
      return [service, Number(count)]
    }),
  )
}

async function main(): Promise<Stack> {
  buildServers(
    missingServers().filter((name) => neededServers.includes(name)),
    say,
  )
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}
  const stack = await openStack({
    variables: { ...file, ...process.env },
    scale: readScale(values.scale),
    data: resolve(values.data),
    isPublished: true,
    print: say,
  })
  say(`The stack is ready: ${stack.published.map((place) => place.replace(' ', ' http://')).join(', ')}`)
  say('FerretDB stands in for MongoDB, without a password. Ctrl C stops it all.')
  return stack
}

let stack: Stack | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await stack?.stop()
    process.exit(0)
  })
}
try {
  stack = await main()
} catch (error) {
  process.stderr.write(`The stack could not start. ${(error as Error).message}\n`)
  process.exit(1)
}
