// Connections and written files of Lectern with its local model, traced from the first system call to the last.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder } from '../folder.ts'
import { weightsSettings, withoutWeights } from '../model/weights.ts'
import { runEnded, startLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0
if (!hasStrace && process.env.CI) throw new Error('strace is not installed')
if (!hasStrace) console.log('skipped: strace is not installed')

let site: Site
const folder = createFolder()
beforeAll(async () => {
  site = await openSite({
    '/': htmlPage('Harbor', 'The guide to Harbor.', ['/restore.html']),
    '/restore.html': htmlPage('Restore a backup', 'Run harbor restore with the name of the archive.'),
  })
})
afterAll(() => site.close())

/** The addresses and ports that system calls of the trace name, such as `127.0.0.1 80`. */
function destinations(trace: string): string[] {
  const address =
    /port=htons\((\d+)\).*?(?:inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"|sin6_addr=([^,}]+))/g
  return Array.from(trace.matchAll(address), ([, port, v4, v6, other]) => `${v4 ?? v6 ?? other} ${port}`)
}

/** Absolute paths that are created, renamed or opened for writing. */
function writtenPaths(trace: string): string[] {
  const writes = trace
    .split('\n')
    .filter((line) => /O_WRONLY|O_RDWR|O_CREAT| (?:mkdir|rename|creat)/.test(line))
  return writes.filter((line) => !/ = -1 /.test(line)).flatMap((line) => line.match(/(?<=")\/[^"]*/g) ?? [])
}

/** Everything on this machine, except a name server, which would forward queries. */
const isLocal = (destination: string) => /^(127\.\S+|::1) (?!53$)\d+$/.test(destination)

test.skipIf(!hasStrace || withoutWeights)(
  'Lectern with its local model connects only to the crawled site and writes only to its data folder',
  async () => {
    const [home, temporary, trace] = ['home', 'tmp', 'trace'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const each of [home, temporary]) await mkdir(each)
    // Without CI, because the model's runtime sends no telemetry if CI is set.
    const lectern = await startLectern({
      address: site.url,
      env: {
        ...weightsSettings,
        HOME: home,
        TMPDIR: temporary,
        ORT_DISABLE_TELEMETRY: '0',
        NODE_DISABLE_COMPILE_CACHE: '1',
      },
      wrapper: [
        'strace',
        ...['-D', '-f', '--seccomp-bpf', '-qq', '-o', trace],
        ...['-e', 'trace=connect,sendto,sendmsg,sendmmsg,/^open,/^creat,/^mkdir,/^rename'],
      ],
    })
    const closed = once(lectern.process, 'close')
    try {
      const slug = new URL(site.url).host.replaceAll(/[.:]/g, '-')
      const project = `/api/v2/projects/${slug}`
      await expect.poll(async () => (await lectern.call('GET', `${project}/sync/`)).status).toBe(200)
      const { body: latest } = await lectern.call('GET', `${project}/sync/`)
      const run = await runEnded(lectern, slug, latest.uuid)
      expect(run).toMatchObject({ status: 'completed', pages: { added: 2 } })
      await expect
        .poll(async () => (await lectern.call('GET', `${project}/sync/`)).body.embedding)
        .toMatchObject({ total: 2, done: 2 })
      // None of its words is on the page, and a busy machine may need longer than the 150 ms that a search waits for the model.
      const search = () => lectern.call('GET', `${project}/search/?q=how+do+I+get+lost+data+back`)
      await expect.poll(async () => (await search()).body.results[0]?.url).toContain('/restore.html')
      const asked = await lectern.call('POST', `${project}/chats/`, { message: 'How do I restore a backup?' })
      expect(asked.status).toBe(201)
    } finally {
      lectern.process.kill('SIGTERM')
      await closed
    }

    const calls = await readFile(trace, 'utf8')
    const reached = destinations(calls)
    expect(reached).toContain(`127.0.0.1 ${new URL(site.url).port}`)
    expect(reached.filter((destination) => !isLocal(destination))).toEqual([])
    const written = writtenPaths(calls)
    expect(written).toContain(join(lectern.data, 'lectern.db'))
    const outside = (path: string) =>
      !path.startsWith(lectern.data) && !/^\/(?:dev|proc)\/(?!shm\/)/.test(path)
    expect(written.filter(outside)).toEqual([])
    await lectern.remove()
  },
)
