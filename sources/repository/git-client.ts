// Client for Git servers. Requests go through the shared fetcher, not through the git program. Responses are parsed in a parse thread.
import { type SourceTools, UnreadableSource } from '../source-type.ts'
import {
  askBlobs,
  askCommit,
  askRefs,
  type Branch,
  type Capabilities,
  type TreeFile,
} from './git-protocol.ts'
import { BadPack } from './pack.ts'

/** Maximum bytes of a response: with the files of a branch, and with contents. */
const maxTreeBytes = 128 * 1024 * 1024
const maxBlobBytes = 64 * 1024 * 1024
const timeoutMs = 120_000

export interface Tree {
  files: TreeFile[]
  isCut: boolean
  /** Name → content, if the server cannot send files without contents. */
  contents: Map<string, Uint8Array>
}

/** `missing`: the server did not send it. */
export type Content = Uint8Array | 'too large' | 'missing'

/** `token` is only sent to the origin of `address`. All methods reject with UnreadableSource. */
export function createGitClient(address: string, token: string | null, tools: SourceTools) {
  const { fetcher, read, signal } = tools
  const start = address.replace(/\/+$/, '')
  const secretHeaders = token === null ? {} : { authorization: toBasicAuth(token, new URL(address).hostname) }
  const protocol = { 'git-protocol': 'version=2' }
  let base = start
  let capabilities: Capabilities | null = null

  /** Reads the server's capabilities. Follows redirects of a moved repository. */
  async function open(): Promise<Capabilities> {
    const service = '/info/refs?service=git-upload-pack'
    const answer = await fetcher.call(start + service, { headers: protocol, secretHeaders, signal })
    const body = readBody(answer)
    if (answer.kind === 'answer' && answer.url.endsWith(service)) base = answer.url.slice(0, -service.length)
    const found = await read<Capabilities | null>('capabilities', body)
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

  /** Fetches contents. Splits the request in half if the response is too large. */
  async function contents(names: string[]): Promise<Map<string, Content>> {
    const answer = await ask(askBlobs(names), maxBlobBytes)
    const isTooLong = answer.kind === 'failed' && answer.reason === 'too_large'
    const found = isTooLong ? null : await read<Map<string, Uint8Array> | null>('contents', readBody(answer))
    if (found !== null) return new Map(names.map((name) => [name, found.get(name) ?? 'missing']))
    if (names.length === 1) return new Map([[names[0] as string, 'too large']])
    const half = Math.ceil(names.length / 2)
    return new Map([...(await contents(names.slice(0, half))), ...(await contents(names.slice(half)))])
  }

  return {
    async branch(name: string | null): Promise<Branch> {
      capabilities ??= await open()
      const refs = readBody(await ask(askRefs(name), maxBlobBytes))
      const found = await read<Branch | null>('branch', refs, name)
      if (found !== null) return found
      throw new UnreadableSource(
        name === null ? 'The repository is empty.' : `The repository has no branch ${name}.`,
      )
    },
    async tree({ commit }: Branch): Promise<Tree> {
      capabilities ??= await open()
      const answer = await ask(askCommit(commit, capabilities.hasFilter), maxTreeBytes)
      if (answer.kind === 'failed' && answer.reason === 'too_large') {
        const part = capabilities.hasFilter
          ? 'The list of its files'
          : 'All of it, which is what its server sends,'
        throw new BadPack(`${part} has more than 128 MB.`)
      }
      return read<Tree>('tree', readBody(answer), commit)
    },
    contents,
  }
}

function readBody(answer: Awaited<ReturnType<SourceTools['fetcher']['call']>>): Uint8Array {
  if (answer.kind === 'failed') throw new BadPack(answer.message)
  const { status, body } = answer
  if (status === 200) return body
  const hint = [401, 403, 404].includes(status) ? ' Is its address right, and does it want a token?' : ''
  throw new BadPack(`The server answered ${status}.${hint}`)
}

/** Hosts accept a token as the password. Few of them check the user name. */
function toBasicAuth(token: string, host: string): string {
  const user = /(^|\.)bitbucket\.org$/.test(host) ? 'x-token-auth' : 'x-access-token'
  return `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
}
