// What an idle socket takes of memory: ten thousand on the gateway, and on a bare uWebSockets.js app, each in a process of
// its own; what is counted is resident memory (Linux).
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchOptions } from '../bench-options.ts'
import { type App, fromNewAddress, openApp } from '../relay/app.ts'
import { type Table, toTarget } from '../report.ts'
import { median } from '../statistics.ts'

const count = 10_000
/** A network has 200 sockets at most. */
const ofNetwork = 100
const atOnce = 50
const pageBytes = 4_096

/** As the product is started. */
const flags = ['--max-semi-space-size=4']

export async function measureIdleSockets({ rounds }: BenchOptions): Promise<Table[]> {
  const found = { lectern: [] as number[], bare: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    found.lectern.push(await bytesOfSocket('lectern-app.ts', []))
    found.bare.push(await bytesOfSocket('raw-app.ts', [0, 'made']))
  }
  const [lectern, bare] = [median(found.lectern), median(found.bare)]
  return [
    {
      title: 'An idle socket',
      rows: [
        { program: 'gateway and core in one process', 'bytes a socket': Math.round(lectern) },
        { program: 'bare uWebSockets.js app', 'bytes a socket': Math.round(bare) },
      ],
      notes: [
        `resident memory that ${count} sockets add, median of ${rounds} rounds; 1,000 sockets were opened and closed before`,
      ],
    },
    {
      title: 'Held against the target',
      rows: [toTarget('times the memory of a bare socket', lectern / bare, '≤', 3)],
    },
  ]
}

async function bytesOfSocket(entry: string, args: (string | number)[]): Promise<number> {
  const app = await openApp<{ port: number }>(entry, args, flags)
  try {
    await closeAll(await openSockets(app, 1_000))
    const before = await settled(app)
    const sockets = await openSockets(app, count)
    const after = await settled(app)
    await closeAll(sockets)
    return (after - before) / count
  } finally {
    app.close()
  }
}

/** Resident memory, when it has come to rest. */
async function settled({ pid }: App<unknown>): Promise<number> {
  await pause(5_000)
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes
}

async function openSockets({ ready }: App<{ port: number }>, wanted: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  let from = fromNewAddress()
  while (sockets.length < wanted) {
    if (sockets.length % ofNetwork === 0) from = fromNewAddress()
    sockets.push(...(await Promise.all(Array.from({ length: atOnce }, () => openSocket(ready.port, from)))))
  }
  return sockets
}

async function openSocket(port: number, headers: Record<string, string>): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  const lines = {
    host: 'localhost',
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}`)
  socket.write(`GET /ws/messages/open/ HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString().startsWith('HTTP/1.1 101'))
    throw new Error(`refused: ${answer.toString().slice(0, 80)}`)
  // Pings are answered by nobody: they come after two minutes.
  socket.pause()
  return socket
}

async function closeAll(sockets: Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await pause(1_000)
}
