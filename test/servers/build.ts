// Builds missing servers: `node test/servers/build.ts`. Needs Go; the first time takes about ten minutes.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binaryOf, binFolder, folderOf, missingServers, type ServerName, servers } from './binaries.ts'

/** Throws with Go's output if one cannot be built. */
export function buildServers(names: ServerName[], say: (line: string) => void): void {
  mkdirSync(binFolder, { recursive: true })
  for (const name of names) {
    say(`building ${name} for the tests (once) …`)
    build(name)
  }
}

function build(name: ServerName) {
  const origin = servers[name]
  const workshop = mkdtempSync(join(tmpdir(), 'lectern-server-'))
  try {
    if ('module' in origin) {
      go(['install', '-ldflags=-s -w', `${origin.module}@${origin.version}`], workshop, workshop)
      place(join(workshop, origin.installs), binaryOf(name))
    } else {
      const program = join(workshop, name)
      cpSync(folderOf(origin), program, { recursive: true })
      const prepare = join(program, 'prepare.sh')
      if (existsSync(prepare)) run('bash', [prepare], program, {})
      go(['build', '-ldflags=-s -w', '-o', join(workshop, 'built'), '.'], program, workshop)
      place(join(workshop, 'built'), binaryOf(name))
    }
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

function go(args: string[], folder: string, bin: string) {
  run('go', args, folder, { GOBIN: bin, GOFLAGS: '-mod=mod' })
}

function run(program: string, args: string[], cwd: string, env: Record<string, string>) {
  const { status, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`)
}

/** Moves atomically, since two builders may run concurrently, possibly across file systems. */
function place(from: string, to: string) {
  const beside = `${to}.${process.pid}`
  cpSync(from, beside)
  renameSync(beside, to)
}

if (import.meta.main) buildServers(missingServers(), (line) => console.error(line))
