// Prints how much memory a gateway and a core take for the upload of an archive of 250 MB: node test/uploads/measure-upload.ts
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { crc32 } from 'node:zlib'
import { adminKey, type LecternProcess, startLectern } from '../e2e/lectern-process.ts'
import { makeZip } from '../make-zip.ts'

const mebibyte = 1024 * 1024
const path = '/api/v2/projects/docs/sources/'

/** Most memory that the process has held, in MB. */
function peak({ process }: LecternProcess): number {
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))!
  return Math.round(Number(kibibytes) / 1024)
}

const env = { LECTERN_SECRET: Buffer.alloc(32, 7).toString('base64') }
const core = await startLectern({ env })
const gateway = await startLectern({
  env: { ...env, LECTERN_ROLE: 'gateway', LECTERN_CORE_URL: `http://${core.grpc}` },
})
try {
  await core.call('POST', '/api/v2/projects/', { name: 'Docs' })
  const film = randomBytes(mebibyte)
  const films = Array.from({ length: 249 }, (_, at) => ({
    name: `${at}.bin`,
    body: film,
    method: 0,
    crc: crc32(film),
  }))
  const zip = makeZip([{ name: 'index.html', body: '<h1>Guide</h1><p>Text.' }, ...films])
  const form = new FormData()
  form.append('base_url', 'https://docs.example/')
  form.append('site_zip', new Blob([zip as never]), 'site.zip')
  const body = Buffer.from(await new Response(form).arrayBuffer())
  const type = `multipart/form-data; boundary=${body.subarray(2, body.indexOf('\r\n')).toString()}`

  for (const [name, target] of [
    ['gateway and core in two processes', gateway],
    ['in one process', core],
  ] as const) {
    const before = { gateway: peak(gateway), core: peak(core) }
    const { hostname, port } = new URL(target.baseUrl)
    const begun = performance.now()
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Api-Key ${adminKey}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
    const [answer] = await once(socket, 'data')
    socket.destroy()
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(
      `${name}: ${String(answer).split('\r\n')[0]}, ${Math.round(zip.length / mebibyte)} MB in ${seconds} s`,
    )
    console.log(`  gateway ${before.gateway} → ${peak(gateway)} MB, core ${before.core} → ${peak(core)} MB`)
  }
} finally {
  await gateway.remove()
  await core.remove()
}
