// A Git server over https on loopback: Git's own `http-backend`, with repositories created on demand. Its name is docs.test.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createFolder } from '../folder.ts'
import { testCertificate } from '../loopback/loopback.ts'

const run = promisify(execFile)

export interface GitServer {
  /** The address of the repository. */
  url: string
  /** Method, path and authorization of each request. */
  asked: { method: string; path: string; authorization: string | undefined }[]
  /** The required password; null: none. */
  token: string | null
  /** If set, answers instead of the server. */
  answer: ((request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean) | null
  /** Runs git in the repository's folder. */
  git(...args: string[]): Promise<string>
  /** Writes files (null: deletes) and commits. */
  commit(files: Record<string, string | Buffer | null>): Promise<void>
  close(): Promise<void>
}

/** `allowFilter`: whether it serves partial clones, as hosts do, and Git itself if configured. */
export async function openGitServer({ allowFilter = true } = {}): Promise<GitServer> {
  const folder = createFolder()
  const work = join(folder, 'guide')
  const environment = {
    ...{ PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@docs.test' },
    ...{ GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@docs.test' },
  }
  const git = async (...args: string[]) =>
    (await run('git', args, { cwd: work, env: environment, maxBuffer: 2 ** 26 })).stdout
  await mkdir(work)
  await git('init', '-q', '-b', 'main')
  await git('config', 'uploadpack.allowFilter', String(allowFilter))
  await git('config', 'http.receivepack', 'false')

  const asked: GitServer['asked'] = []
  const pem = await testCertificate()
  const server = createServer({ key: pem, cert: pem }, async (request, response) => {
    const { method = '', url: path = '', headers } = request
    asked.push({ method, path, authorization: headers.authorization })
    const body = Buffer.concat(await request.toArray())
    if (gitServer.answer?.(request, response, body)) return
    const password = Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
    if (gitServer.token !== null && !password.endsWith(`:${gitServer.token}`)) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
      return
    }
    await answerByGit(request, response, body)
  })

  async function answerByGit(request: IncomingMessage, response: ServerResponse, body: Buffer) {
    const { pathname, search } = new URL(request.url as string, 'https://docs.test')
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...environment,
        ...{ GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: '1', REQUEST_METHOD: request.method ?? '' },
        ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), CONTENT_LENGTH: String(body.length) },
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    })
    backend.stdin.on('error', () => {})
    backend.stdin.end(body)
    const answer = Buffer.concat(await backend.stdout.toArray())
    const end = answer.indexOf('\r\n\r\n')
    const head = answer
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(/: */, 2) as [string, string])
    const status = Number(head.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200)
    response.writeHead(status, head.filter(([name]) => name !== 'Status').flat())
    response.end(answer.subarray(end + 4))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gitServer: GitServer = {
    url: `https://docs.test:${(server.address() as AddressInfo).port}/guide`,
    ...{ asked, token: null, answer: null, git },
    async commit(files) {
      for (const [path, content] of Object.entries(files)) {
        const file = join(work, path)
        await mkdir(dirname(file), { recursive: true })
        if (content === null) await rm(file)
        else await writeFile(file, content)
      }
      await git('add', '-A')
      await git('commit', '-q', '--allow-empty', '-m', 'Change')
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return gitServer
}
