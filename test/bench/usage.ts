// Costs of processes: CPU time and peak memory, of a child until its end and of a running process (Linux).
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export interface Usage {
  /** User and system time, seconds. */
  cpu: number
  /** Peak resident memory, MB of 2^20 bytes. */
  peak: number
}

const measure = fileURLToPath(new URL('measure.py', import.meta.url))

/** Runs a command to its end, and returns what it printed, too. Rejects if its exit code is not 0. */
export function runMeasured(
  command: string[],
  env: Record<string, string> = {},
): Promise<Usage & { output: string }> {
  const child = spawn('python3', [measure, ...command], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const texts = ['', '', '', '']
  for (const at of [1, 2, 3]) child.stdio[at]!.on('data', (chunk) => (texts[at] += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`${command[0]} ended with ${code}: ${texts[2]!.slice(-2000)}`))
      resolve({ ...(JSON.parse(texts[3]!) as Usage), output: texts[1]! })
    })
  })
}

/** CPU time and peak memory so far of a running process, all its threads together. */
export async function readUsage(pid: number): Promise<Usage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  // proc(5): fields 14 and 15, counted after the name, which may contain spaces; 100 ticks a second on Linux.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return { cpu: ticks / 100, peak: Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024 }
}
