// The environment of the manual's examples: a Lectern with a project `guide`, and an existing object for each variable that they use,
// created again for each example, because some examples delete it.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { runCli } from '../e2e/cli.ts'
import { adminKey, type LecternProcess, runEnded, startLectern } from '../e2e/lectern-process.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'
import { openScriptedProvider, type ScriptedProvider } from '../model/scripted-provider.ts'
import { cutByLength } from '../model/scripts.ts'

export interface ExamplesLab {
  lectern: LecternProcess
  /** Runs the command like a reader, after its object was created. */
  run(command: string): Promise<Ran>
  close(): Promise<void>
}

export interface Ran {
  method: string
  path: string
  status: number
  type: string
  body: string
}

const pages = {
  '/': htmlPage('Guide', 'The guide tells how to install the server.', ['timeouts.html', 'gone.html']),
  '/timeouts.html': htmlPage(
    'Timeouts',
    'To set a timeout, give the option --timeout in seconds. Threads share the timeout of the process.',
  ),
}

export async function openExamplesLab(): Promise<ExamplesLab> {
  const site = await openSite(pages)
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const provider: ScriptedProvider = await openScriptedProvider()
  // Each answer is cut at the length limit, so that each can be continued.
  provider.chat.fallback = cutByLength('Give the option --timeout [1].')
  const lectern = await startLectern({
    env: { LECTERN_LLM_URL: provider.url, LECTERN_LLM_MODEL: 'scripted' },
  })
  const lab = createThings(lectern, site, `http://127.0.0.1:${(silent.address() as { port: number }).port}/`)

  return {
    lectern,
    async run(command) {
      const names = new Set([...command.matchAll(/\$([A-Z_]+)/g)].map(([, name]) => name!))
      if (command.includes('-X POST $BASE/projects/ ')) await lab.drop()
      else await lab.prepare()
      const variables: Record<string, string> = { ...lab.constants }
      for (const name of names) {
        if (name in variables) continue
        const make = lab.things[name]
        if (!make) throw new Error(`no example knows what $${name} is`)
        Object.assign(variables, await make(command))
      }
      return runCurl(command, variables)
    },
    async close() {
      await lectern.remove()
      await provider.close()
      silent.closeAllConnections()
      silent.close()
      await site.close()
    },
  }
}

type Make = (command: string) => Promise<Record<string, string>>

function createThings(lectern: LecternProcess, site: Site, silentUrl: string) {
  let made = 0
  const guide = '/api/v2/projects/guide/'
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await lectern.call(method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body
  }

  /** The project of the examples, with pages, a filter, and a source on the host `docs.example.org`. */
  async function prepare() {
    const { status } = await lectern.call('GET', guide)
    if (status === 404) {
      const filters = [{ title: 'Guide', url: '/' }]
      await ask('POST', '/api/v2/projects/', {
        name: 'Guide',
        slug: 'guide',
        config: { search: { filters } },
      })
      await ask('POST', `${guide}sources/`, { type: 'site', url: site.url })
      await runEnded(lectern, 'guide', (await ask('POST', `${guide}sync/`)).uuid)
      await ask('POST', `${guide}sources/`, { type: 'url', url: 'https://docs.example.org/guide/a.html' })
    }
    await ask('PATCH', guide, { is_private: false })
  }

  const chat: Make = async (command) => {
    const begun = await ask('POST', `${guide}chats/`, {
      message: 'How do I set a timeout?',
      email: 'ann@example.org',
    })
    const isRight = !command.includes('continue_message_id') || begun.ai_message.continuationAvailable
    expect(isRight, JSON.stringify(begun)).toBe(true)
    return { CHAT: begun.chat_uuid, TOKEN: begun.restore_token, MESSAGE: begun.ai_message.messageId }
  }
  const invite = () =>
    ask('POST', '/api/v2/team/invitations/', { email: `reader${++made}@example.com`, role: 'viewer' })
  const things: Record<string, Make> = {
    CHAT: chat,
    TOKEN: chat,
    MESSAGE: chat,
    SOURCE: async () => {
      const url = `${site.url}page-${++made}.html`
      return { SOURCE: (await ask('POST', `${guide}sources/`, { type: 'url', url })).uuid }
    },
    // A run to cancel reads a page that never answers.
    RUN: async (command) => {
      if (!command.includes('/cancel/')) return { RUN: (await ask('GET', `${guide}sync/`)).uuid }
      await ask('POST', `${guide}sources/`, { type: 'url', url: `${silentUrl}${++made}` })
      return { RUN: (await ask('POST', `${guide}sync/`)).uuid }
    },
    RECRAWL: async () => ({
      RECRAWL: (await ask('POST', `${guide}recrawl/`, { url: `${site.url}timeouts.html` })).uuid,
    }),
    DOCUMENT: async () => ({
      DOCUMENT: (await ask('GET', `${guide}search/?q=timeout`)).results[0].document_id,
    }),
    ID: async () => ({
      ID: (await ask('POST', '/api/v2/keys/', { name: 'A key', permissions: ['search'] })).uuid,
    }),
    LINK: async () => {
      const { out } = await runCli(['console'], { LECTERN_GRPC: lectern.grpc })
      return { LINK: out.trim().split('#link=')[1]! }
    },
    INVITATION: async () => ({ INVITATION: (await invite()).uuid }),
    INVITATION_TOKEN: async () => ({ INVITATION_TOKEN: (await invite()).token }),
    MEMBER: async () => {
      const { token } = await invite()
      return {
        MEMBER: (await ask('POST', '/api/v2/team/invitations/accept/', { token, name: 'Bea' })).member.uuid,
      }
    },
  }
  return {
    constants: {
      BASE: `${lectern.baseUrl}/api/v2`,
      OLD: `${lectern.baseUrl}/api/v1`,
      KEY: adminKey,
      AUTH: `Authorization: Api-Key ${adminKey}`,
      JSON: 'Content-Type: application/json',
    } as Record<string, string>,
    things,
    prepare,
    async drop() {
      await lectern.call('DELETE', guide)
    },
  }
}

/** Runs the example verbatim in a shell, in an empty folder. */
async function runCurl(command: string, variables: Record<string, string>): Promise<Ran> {
  const written = '\\n%{method} %{url_effective} %{http_code} %{content_type}'
  const [first, ...rest] = command.split('\n')
  const line = [first!.replace(/^curl /, `curl --silent --write-out '${written}' `), ...rest].join('\n')
  const env = { PATH: process.env.PATH!, ...variables }
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { env, cwd: createFolder() })
  const end = stdout.lastIndexOf('\n')
  const [method, url, status, ...type] = stdout.slice(end + 1).split(' ')
  return {
    method: method!,
    path: new URL(url!).pathname,
    status: Number(status),
    type: type.join(' '),
    body: stdout.slice(0, end),
  }
}
