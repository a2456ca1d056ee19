// Runs the command line as a separate process, or inside the process of the test.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { nodeEnv } from '../node-env.ts'
import { adminKey } from './lectern-process.ts'

const bin = fileURLToPath(new URL('../../bin/lectern', import.meta.url))
let runs = 0

export interface Ran {
  code: number
  out: string
  err: string
}

/** Runs `lectern` with the admin key and an empty standard input. */
export function runCli(args: string[], settings: Record<string, string>): Promise<Ran> {
  const env = { ...nodeEnv, LECTERN_API_KEY: adminKey, ...settings }
  return new Promise((resolve) => {
    const child = execFile(bin, args, { env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
    child.stdin!.end()
  })
}

/** The same for many commands in sequence, in this process, because starting a process takes half a second of processor time. */
export async function runHere(args: string[], settings: Record<string, string>): Promise<Ran> {
  const ran: Ran = { code: 0, out: '', err: '' }
  let hasEnded = false
  const take = (name: 'out' | 'err') => (text: string | Uint8Array) => {
    if (!hasEnded) ran[name] += text
    return true
  }
  // Each run listens for the end of the output.
  process.stdout.setMaxListeners(0)
  vi.spyOn(process.stdout, 'write').mockImplementation(take('out'))
  vi.spyOn(process.stderr, 'write').mockImplementation(take('err'))
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    if (!hasEnded) ran.code = Number(code ?? 0)
    hasEnded = true
    throw new Error('the process has ended')
  })
  const { argv } = process
  process.argv = ['node', 'lectern', ...args]
  for (const [name, value] of Object.entries({ LECTERN_API_KEY: adminKey, ...settings }))
    vi.stubEnv(name, value)
  try {
    await import(/* @vite-ignore */ `../../cli/main.ts?run=${++runs}`)
    if (!hasEnded) ran.code = Number(process.exitCode ?? 0)
    return ran
  } finally {
    process.argv = argv
    process.exitCode = undefined
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  }
}
