// Asks a Git server: over the one function that dials, without a program, and with its answers read in a parse thread.
import { type SourceTools, UnreadableSource } from '../source-type.ts'
import {
  askBlobs,
  askCommit,
  askRefs,
  type Branch,
  type Capabilities,
  type TreeFile,
} from './git-protocol.ts'

/** Of an answer with the files of a branch, or with contents. */
const maxTreeBytes = 128 * 1024 * 1024
const maxBlobBytes = 64 * 1024 * 1024
const timeoutMs = 120_000

export interface Tree {
  files: TreeFile[]
  isCut: boolean
  /** Contents by their names, where the server sends all or nothing. */
  contents: Map<string, Uint8Array>
}

/** `missing`: the server did not send it. */
export type Content = Uint8Array | 'too large' | 'missing'

/** What a parse thread answers in place of a result: a sentence, and whether less might go well. */
export interface Refused {
  refused: string
  isTooLarge: boolean
}

interface GitClient {
  /** Throws UnreadableSource, as all of it does. */
  branch(name: string | null): Promise<Branch>
  tree(branch: Branch): Promise<Tree>
  contents(names: string[]): Promise<Map<string, Content>>
}

/** `token` goes to the origin of `address` alone. */
export function createGitClient(address: string, token: string | null, tools: SourceTools): GitClient {
  const { fetcher, read, signal } = tools
  const start = address.replace(/\/+$/, '')
  const secretHeaders = token === null ? {} : { authorization: toBasicAuth(token, new URL(address).hostname) }
  const protocol = { 'git-protocol': 'version=2' }
  let base = start
  let capabilities: Capabilities | null = null

  /** Of the server behind redirects, which a repository that has moved answers. */
  async function open(): Promise<Capabilities> {
    const service = '/info/refs?service=git-upload-pack'
    const answer = await fetcher.call(start + service, { headers: protocol, secretHeaders, signal })
    const body = readBody(answer)
    if (answer.kind === 'answer' && answer.url.endsWith(service)) base = answer.url.slice(0, -service.length)
    const found = await readIn<Capabilities | null>('capabilities', body)
    if (found === null)
      throw new UnreadableSource('The server does not speak version 2 of the protocol of Git.')
    if (!found.isSha1)
      throw new UnreadableSource('The repository names its files by SHA-256, which is not supported.')
    return found
  }

  async function ask(body: Uint8Array, maxBytes: number) {
    const isOwn = new URL(base).origin === new URL(start).origin
    return fetcher.call(`${base}/git-upload-pack`, {
      method: 'POST',
      headers: {
        ...protocol,
        'content-type': 'application/x-git-upload-pack-request',
        accept: 'application/x-git-upload-pack-result',
      },
      ...(isOwn && { secretHeaders }),
      ...{ body, maxBytes, timeoutMs, signal },
    })
  }

  async function readIn<Result>(task: string, ...input: unknown[]): Promise<Result> {
    const result = await read<Result | Refused>(task, ...input)
    if (isRefused(result)) throw new UnreadableSource(`The repository could not be read. ${result.refused}`)
    return result
  }

  /** In halves where they are too much together. */
  async function contents(names: string[]): Promise<Map<string, Content>> {
    const answer = await ask(askBlobs(names), maxBlobBytes)
    const isTooLong = answer.kind === 'failed' && answer.reason === 'too_large'
    const result = isTooLong
      ? { refused: '', isTooLarge: true }
      : await read<Map<string, Uint8Array> | Refused>('contents', readBody(answer))
    if (!isRefused(result)) return new Map(names.map((name) => [name, result.get(name) ?? 'missing']))
    if (!result.isTooLarge) throw new UnreadableSource(`The repository could not be read. ${result.refused}`)
    if (names.length === 1) return new Map([[names[0] as string, 'too large']])
    const half = Math.ceil(names.length / 2)
    return new Map([...(await contents(names.slice(0, half))), ...(await contents(names.slice(half)))])
  }

  return {
    async branch(name) {
      capabilities ??= await open()
      const refs = readBody(await ask(askRefs(name), maxBlobBytes))
      const found = await readIn<Branch | null>('branch', refs, name)
      if (found !== null) return found
      throw new UnreadableSource(
        name === null ? 'The repository is empty.' : `The repository has no branch ${name}.`,
      )
    },
    async tree({ commit }) {
      capabilities ??= await open()
      const answer = await ask(askCommit(commit, capabilities.hasFilter), maxTreeBytes)
      if (answer.kind === 'failed' && answer.reason === 'too_large') {
        const part = capabilities.hasFilter
          ? 'The list of its files'
          : 'All of it, which is what its server sends,'
        throw new UnreadableSource(`The repository could not be read. ${part} has more than 128 MB.`)
      }
      return readIn<Tree>('tree', readBody(answer), commit)
    },
    contents,
  }
}

const isRefused = (result: unknown): result is Refused =>
  typeof result === 'object' && result !== null && 'refused' in result

function readBody(answer: Awaited<ReturnType<SourceTools['fetcher']['call']>>): Uint8Array {
  if (answer.kind === 'failed')
    throw new UnreadableSource(`The repository could not be read. ${answer.message}`)
  const { status, body } = answer
  if (status === 200) return body
  const hint = [401, 403, 404].includes(status) ? ' Is its address right, and does it want a token?' : ''
  throw new UnreadableSource(`The repository could not be read. The server answered ${status}.${hint}`)
}

/** Hosts take a token as the password; few of them read the user name. */
function toBasicAuth(token: string, host: string): string {
  const user = /(^|\.)bitbucket\.org$/.test(host) ? 'x-token-auth' : 'x-access-token'
  return `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
}
