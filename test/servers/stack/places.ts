// Maps each container of the compose file to this machine: ports become free ports on loopback, volumes become
// folders, and texts of the file that name them are rewritten.
import { join } from 'node:path'
import type { ComposeFile, ComposeService } from './compose-file.ts'

/** A container by its service and number: `core-2`. */
export interface Place {
  name: string
  service: string
  /** The port on 127.0.0.1 that replaces a port of the container. */
  ports: Map<number, number>
}

export interface Places {
  all: Place[]
  of(service: string): Place[]
}

/** `scale`: containers per service, 1 by default. `takePort` returns a free port. */
export async function createPlaces(
  file: ComposeFile,
  scale: Record<string, number>,
  takePorts: (count: number) => Promise<number[]>,
): Promise<Places> {
  const all: Place[] = []
  for (const [service, definition] of Object.entries(file.services)) {
    const inner = portsOf(service, file, definition)
    for (let number = 1; number <= (scale[service] ?? 1); number++) {
      const outer = await takePorts(inner.length)
      const ports = new Map(inner.map((port, at) => [port, outer[at]!]))
      all.push({ name: `${service}-${number}`, service, ports })
    }
  }
  return { all, of: (service) => all.filter((place) => place.service === service) }
}

/** Ports that the service publishes, listens on (`0.0.0.0:8080`), or is called on by others (`core:50051`). */
function portsOf(
  service: string,
  file: ComposeFile,
  { ports = [], environment = {} }: ComposeService,
): number[] {
  const published = ports.map((port) => port.split(':').at(-1)!)
  const own = Object.values(environment).flatMap((text) => namedPorts(text, '0\\.0\\.0\\.0'))
  const asked = Object.values(file.services).flatMap((other) =>
    Object.values(other.environment ?? {}).flatMap((text) => namedPorts(text, service)),
  )
  return [...new Set([...published, ...own, ...asked].map(Number))]
}

function namedPorts(text: string, host: string): string[] {
  return Array.from(String(text).matchAll(new RegExp(`(?<![\\w.-])${host}:(\\d+)`, 'g')), ([, port]) => port!)
}

/**
 * The text as `self` sees it: addresses of containers become those of this machine, and if a service has several
 * containers, the text is repeated for each, comma-separated.
 *
 *   http://core:50051  →  http://127.0.0.1:40001,http://127.0.0.1:40002
 *   0.0.0.0:50051      →  127.0.0.1:40001
 */
export function rewrite(text: string, self: Place, places: Places): string {
  const own = text.replace(/\b0\.0\.0\.0:(\d+)/g, (_, port) => `127.0.0.1:${self.ports.get(Number(port))}`)
  const services = [...new Set(places.all.map((place) => place.service))]
  const named = services.find((service) => namedPorts(own, service).length > 0)
  if (named === undefined) return own
  const address = new RegExp(`(?<![\\w.-])${named}:(\\d+)`, 'g')
  return places
    .of(named)
    .map(({ ports }) => own.replace(address, (_, port) => `127.0.0.1:${ports.get(Number(port))}`))
    .join(',')
}

/** Folders of the service's volumes by their path in the container, without files of the checkout. */
export function foldersOf({ volumes = [] }: ComposeService, data: string): Map<string, string> {
  return new Map(
    volumes
      .filter((volume) => !volume.startsWith('.'))
      .map((volume) => {
        const [name, path] = volume.split(':') as [string, string]
        return [path, join(data, name)]
      }),
  )
}
