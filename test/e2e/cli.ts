// The command line as a process of its own.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { adminKey } from './lectern-process.ts'

const bin = fileURLToPath(new URL('../../bin/lectern', import.meta.url))

export interface Ran {
  code: number
  out: string
  err: string
}

/** Runs `lectern` with the admin key, and nothing to read. */
export function runCli(args: string[], settings: Record<string, string>): Promise<Ran> {
  const env = { PATH: process.env.PATH, LECTERN_API_KEY: adminKey, ...settings }
  return new Promise((resolve) => {
    const child = execFile(bin, args, { env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
    child.stdin!.end()
  })
}
