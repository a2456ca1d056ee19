// Reads docker-compose.yml as far as `npm run stack` needs it: with anchors and merged keys, and variables interpolated like
// compose does (compose specification, "Interpolation").
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface ComposeService {
  image: string
  command?: string[]
  environment?: Record<string, string>
  depends_on?: string[]
  /** `127.0.0.1:8080:8080` or `8080:8080`. */
  ports?: string[]
  /** `mongo:/data/db`, or a file of this folder: `./bin/a-script:/a-script:ro`. */
  volumes?: string[]
  user?: string
  mem_limit?: string
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  security_opt?: string[]
  healthcheck?: { test: string[]; interval: string; timeout: string; retries: number; start_period: string }
  restart?: string
  stop_grace_period?: string
}

export interface ComposeFile {
  services: Record<string, ComposeService>
  volumes: Record<string, unknown>
}

type Variables = Record<string, string | undefined>

export const composePath = new URL('../../../docker-compose.yml', import.meta.url)

/** Throws an Error with a sentence if a required variable is not set. */
export function readComposeFile(variables: Variables): ComposeFile {
  return interpolateAll(parseComposeFile(), variables) as ComposeFile
}

/** The file without interpolation of variables. */
export function parseComposeFile(): unknown {
  return parse(readFileSync(composePath, 'utf8'), { merge: true })
}

function interpolateAll(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return interpolate(value, variables)
  if (Array.isArray(value)) return value.map((item) => interpolateAll(item, variables))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, interpolateAll(item, variables)]),
  )
}

/**
 * Interpolates variables in a text. With `:`, empty counts as unset.
 *
 *   ${A}  ${A:-default}  ${A-default}  ${A:?sentence}  ${A?sentence}  $$ → $
 */
export function interpolate(text: string, variables: Variables): string {
  return text.replace(
    /\$(?:\$|\{(\w+)(?:(:?)([-?])([^}]*))?\})/g,
    (whole, name: string | undefined, colon: string, sign: string, rest: string) => {
      if (name === undefined) return whole === '$$' ? '$' : whole
      const value = variables[name]
      if (value !== undefined && !(colon && value === '')) return value
      if (sign === '?') throw new Error(`${name} is missing: ${rest}.`)
      return sign === '-' ? rest : ''
    },
  )
}

/** Milliseconds of a duration such as `1m30s` or `500ms`. */
export function toMilliseconds(duration: string): number {
  const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
  const parts = [...duration.matchAll(/(\d+)(ms|s|m|h)/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit!]!, 0)
}
