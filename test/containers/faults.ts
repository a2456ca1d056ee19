// Faults of the stack's containers that have a beginning and an end, for the tests and `npm run bench -- faults`.
import { readFileSync } from 'node:fs'
import type { Engine } from './engine.ts'

export interface Fault {
  begin(): Promise<unknown>
  end(): Promise<unknown>
}

const network = 'lectern_default'
/** An open connection to a core's port 50051, except from within the container. */
const fromGateway = /:C383 (?!0100007F)\w{8}:\w{4} 01 /

export function createFaults(docker: Engine['docker']) {
  const pidOf = async (name: string) => Number(await docker('inspect', '--format', '{{.State.Pid}}', name))

  async function setClock(name: string, seconds: string) {
    const script = `printf %s ${seconds} > /tmp/clock; date +%s`
    const differs = Number(await docker('exec', name, 'sh', '-c', script)) - Date.now() / 1_000
    if (Math.abs(differs - Number(seconds)) > 30)
      throw new Error(`The clock of ${name} is ${differs} s ahead: apt-get install libfaketime`)
  }

  return {
    pidOf,
    /** The containers of the service that work: cores that a gateway calls, workers that read the site on this machine. */
    async atWork(service: string, sitePort: number): Promise<string[]> {
      const port = sitePort.toString(16).toUpperCase().padStart(4, '0')
      const connected: Record<string, RegExp> = {
        core: fromGateway,
        worker: new RegExp(` 01004D0A:${port} 01 `),
      }
      const names = (service in connected ? [1, 2] : [1]).map((number) => `lectern-${service}-${number}`)
      const working = []
      for (const name of names) {
        const connections = readFileSync(`/proc/${await pidOf(name)}/net/tcp`, 'utf8')
        if (connected[service]?.test(connections) ?? true) working.push(name)
      }
      return working
    },
    freeze: (name: string): Fault => ({
      begin: () => docker('pause', name),
      end: () => docker('unpause', name),
    }),
    cutOff: (name: string, service: string): Fault => ({
      begin: () => docker('network', 'disconnect', network, name),
      end: () => docker('network', 'connect', '--alias', service, network, name),
    }),
    /** Only of cores (override.yml). `seconds` has a sign. */
    skewClock: (name: string, seconds: string): Fault => ({
      begin: () => setClock(name, seconds),
      end: () => setClock(name, '+0'),
    }),
  }
}
