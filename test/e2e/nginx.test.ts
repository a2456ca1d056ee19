// The manual's unchanged nginx configuration, in a real nginx in front of a real Lectern.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder } from '../folder.ts'
import { blocksOf } from '../manual/examples.ts'
import { freePorts, openServer, type ServerProcess } from '../servers/server-process.ts'
import { watch } from './event-stream.ts'
import { openChat } from './gateway/chat-client.ts'
import { adminKey, type LecternProcess, startLectern } from './lectern-process.ts'

const nginxPath = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find((path) =>
  existsSync(path),
)
/** On a developer's machine without nginx, the test is skipped with a line. CI requires nginx. */
const lacksNginx = nginxPath === undefined && !process.env.CI
if (lacksNginx) console.log('skipped: nginx (apt-get install nginx-light)')

describe.skipIf(lacksNginx)('behind nginx, configured as in the manual', () => {
  let lectern: LecternProcess
  let nginx: ServerProcess
  const folder = createFolder()
  let host: string

  beforeAll(async () => {
    lectern = await startLectern()
    const [port] = await freePorts(1)
    host = `127.0.0.1:${port}`
    const [block] = blocksOf('operating', 'nginx')
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off;
      master_process off;
      pid nginx.pid;
      error_log stderr;
      events {}
      http {
        access_log off;
        ${temporary.map((name) => `${name}_temp_path ${name};`).join('\n')}
        server {
          listen ${host};
          ${block!.text.replace('127.0.0.1:8080', new URL(lectern.baseUrl).host)}
        }
      }`,
    )
    nginx = await openServer({
      binary: nginxPath!,
      args: ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'],
      answers: async () => (await fetch(`http://${host}/healthz`)).status > 0,
    })
  })

  afterAll(async () => {
    await nginx?.stop()
    await lectern?.remove()
  })

  const authorization = `Api-Key ${adminKey}`
  const get = (path: string) => fetch(`http://${host}${path}`)

  it('health, a large upload, search, the stream of a run and a turn on a WebSocket work', async () => {
    expect((await get('/healthz')).status).toBe(200)

    await lectern.call('POST', '/api/v2/projects/', { name: 'Guide', slug: 'guide' })
    const form = new FormData()
    form.append(
      'files[]',
      new Blob([`The lighthouse keeper.\n\n${'filler\n'.repeat(200_000)}`]),
      'keeper.txt',
    )
    const upload = { method: 'POST', headers: { authorization }, body: form }
    expect((await fetch(`http://${host}/api/v2/projects/guide/sources/`, upload)).status).toBe(201)
    const { body } = await lectern.call('POST', '/api/v2/projects/guide/sync/')
    const { events } = await watch(`http://${host}/api/v2/projects/guide/sync/${body.uuid}/watch/`)
    const states = []
    for await (const event of events) states.push(event.run.status)
    expect(states.at(-1)).toBe('completed')

    const found = await get('/api/v2/projects/guide/search/?q=lighthouse&content_scope=all')
    expect(await found.json()).toMatchObject({ results: [{ source_type: 'file' }] })

    const chat = await openChat(`ws://${host}/ws/messages/guide/`)
    expect(await chat.ask({ message: 'Who is the lighthouse keeper?' })).toMatchObject({
      isPartial: false,
      stopReason: 'stop',
    })
    chat.close()
  })

  it('Lectern sees the reader’s address once it trusts the proxy, and warns until then', async () => {
    const warning = 'X-Forwarded-For comes from 127.0.0.1, which is not in LECTERN_TRUST_PROXY'
    await expect.poll(() => lectern.output.join('\n')).toContain(warning)
  })
})
