// Toxiproxy between Lectern and a server: connections that are slow, cut, or lose replies.
import { binaryOf } from './binaries.ts'
import { freePorts, openServer } from './server-process.ts'

/** A toxic in the form of Toxiproxy's API, such as `{type: 'latency', attributes: {latency: 1000}}`. */
interface Toxic {
  type: 'latency' | 'bandwidth' | 'slow_close' | 'timeout' | 'reset_peer' | 'slicer' | 'limit_data'
  attributes: Record<string, number>
  /** `downstream` (to the client, the default) or `upstream` (to the server). */
  stream?: 'downstream' | 'upstream'
}

export interface Proxy {
  port: number
  /** Adds a toxic; resolves when it is active. Returns a function that removes it. */
  add(toxic: Toxic): Promise<() => Promise<void>>
  /** Rejects and cuts all connections, or accepts them again. */
  enable(enabled: boolean): Promise<void>
}

export interface Toxiproxy {
  /** A proxy in front of a port of this machine. */
  before(port: number): Promise<Proxy>
  remove(): Promise<void>
}

export async function openToxiproxy(): Promise<Toxiproxy> {
  const [api] = (await freePorts(1)) as [number]
  const base = `http://127.0.0.1:${api}`
  const server = await openServer({
    binary: binaryOf('toxiproxy'),
    args: ['-host', '127.0.0.1', '-port', String(api)],
    answers: async () => (await fetch(`${base}/version`)).ok,
  })

  async function call(method: string, path: string, body?: unknown) {
    const answer = await fetch(base + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`toxiproxy: ${method} ${path}: ${await answer.text()}`)
  }

  let toxics = 0
  return {
    async before(upstream) {
      const [port] = (await freePorts(1)) as [number]
      const path = `/proxies/p${port}`
      await call('POST', '/proxies', {
        name: `p${port}`,
        listen: `127.0.0.1:${port}`,
        upstream: `127.0.0.1:${upstream}`,
        enabled: true,
      })
      return {
        port,
        async add(toxic) {
          const name = `t${toxics++}`
          await call('POST', `${path}/toxics`, { name, ...toxic })
          return () => call('DELETE', `${path}/toxics/${name}`)
        },
        enable: (enabled) => call('POST', path, { enabled }),
      }
    },
    remove: server.kill,
  }
}
