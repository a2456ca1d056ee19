// The services of docker-compose.yml as processes of this machine: started in the order of their dependencies, stopped
// in reverse order.
import { mkdirSync } from 'node:fs'
import { freePorts } from '../server-process.ts'
import { type ComposeFile, type ComposeService, readComposeFile } from './compose-file.ts'
import { type RunningContainer, runContainer } from './container.ts'
import { createPlaces, foldersOf, type Place, type Places, rewrite } from './places.ts'
import { toProgram, withoutPassword } from './programs.ts'
import { type Published, publish, readPublished } from './publish.ts'

export interface StackOptions {
  /** The contents of `.env`. */
  variables: Record<string, string | undefined>
  /** Containers per service; 1 by default. */
  scale?: Record<string, number>
  /** Folder of the volumes. */
  data: string
  /** Whether to open the published ports. */
  isPublished: boolean
  /** Receives a line of output, prefixed with the container's name. */
  print(line: string): void
}

export interface Stack {
  containers: RunningContainer[]
  /** Address of a container's port on this machine, `127.0.0.1:40001`; containers count from 1. */
  address(service: string, number: number, port: number): string
  container(service: string, number: number): RunningContainer
  /** Published addresses: `gateway 127.0.0.1:8080`. */
  published: string[]
  stop(): Promise<void>
}

/** Resolves when every container is healthy. Rejects with a sentence if a variable is missing or a container does not start. */
export async function openStack(options: StackOptions): Promise<Stack> {
  const { scale = {}, data, print } = options
  const file = readComposeFile(options.variables)
  const places = await createPlaces(file, scale, freePorts)
  const toPublish = options.isPublished ? publishedOf(file, places) : []
  const started = new Map<string, Promise<RunningContainer[]>>()
  const containers: RunningContainer[] = []
  let isStopping = false

  async function startOne(place: Place, service: ComposeService): Promise<RunningContainer> {
    const env = Object.fromEntries(
      Object.entries(service.environment ?? {}).map(([name, text]) => [
        name,
        withoutPassword(rewrite(String(text), place, places)),
      ]),
    )
    const folders = foldersOf(service, data)
    for (const folder of folders.values()) mkdirSync(folder, { recursive: true })
    const program = await toProgram({ place, service, env, folders })
    const container = runContainer(place.name, service, program, print)
    containers.push(container)
    return container
  }

  /** Starts a service once its dependencies are healthy; returns its containers. */
  function start(name: string): Promise<RunningContainer[]> {
    const known = started.get(name)
    if (known) return known
    const service = file.services[name]!
    const starting = (async () => {
      for (const dependency of service.depends_on ?? []) {
        await Promise.all((await start(dependency)).map((container) => container.healthy()))
      }
      if (isStopping) return []
      return Promise.all(places.of(name).map((place) => startOne(place, service)))
    })()
    started.set(name, starting)
    return starting
  }

  const ports: { address: string; close(): void }[] = []
  const addresses: string[] = []

  async function stop() {
    isStopping = true
    for (const port of ports) port.close()
    // Dependents stop before their dependencies.
    for (const container of containers.toReversed()) await container.stop()
  }

  try {
    const all = (await Promise.all(Object.keys(file.services).map(start))).flat()
    await Promise.all(all.map((container) => container.healthy()))
    for (const [name, published] of toPublish) {
      const opened = await publish(published)
      ports.push(opened)
      addresses.push(`${name} ${opened.address}`)
    }
  } catch (error) {
    await stop()
    throw error
  }

  return {
    containers,
    published: addresses,
    address(service, number, port) {
      return `127.0.0.1:${places.of(service)[number - 1]!.ports.get(port)}`
    },
    container: (service, number) => containers.find(({ name }) => name === `${service}-${number}`)!,
    stop,
  }
}

/** Every port that the file publishes, with the name of its service. */
function publishedOf(file: ComposeFile, places: Places): [service: string, Published][] {
  return Object.entries(file.services).flatMap(([name, { ports = [] }]) =>
    ports.flatMap((port) => {
      const inner = Number(port.split(':').at(-1))
      const targets = places.of(name).map((place) => place.ports.get(inner)!)
      return readPublished(port, targets).map((published): [string, Published] => [name, published])
    }),
  )
}
