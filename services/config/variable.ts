// Reads single environment variables, and filters the environment of child processes. An empty variable is unset.

/** Prevents the start. Its message is one line with the variable, its value and the accepted values. */
export class ConfigError extends Error {}

export type Environment = Record<string, string | undefined>

/** Returns the parsed value; undefined if the text is invalid. */
type Parse<T> = (text: string) => T | undefined

export interface ReadVariable {
  /** Returns the value of the variable, or `fallback` if it is unset. Throws ConfigError. */
  <T, const F>(name: string, fallback: F, takes: string, reader: Parse<T>): T | F
  /** The error that a variable, which was read before, is unset. `why`: why it is required. */
  missing(name: string, why: string): ConfigError
}

/** Format of the keys of servers and providers. */
export const keyForm = /^[\x21-\x7e]+$/

export const readText: Parse<string> = (text) => text

export function oneOf<const Choice extends string>(choices: readonly Choice[]): Parse<Choice> {
  return (text) => choices.find((choice) => choice === text)
}

export function matching(form: RegExp): Parse<string> {
  return (text) => (form.test(text) ? text : undefined)
}

export function createVariables(environment: Environment): ReadVariable {
  const known = new Map<string, string>()
  function read<T, const F>(name: string, fallback: F, takes: string, reader: Parse<T>): T | F {
    known.set(name, takes)
    const text = environment[name]?.trim()
    if (!text) return fallback
    const value = reader(text)
    if (value === undefined) throw new ConfigError(`${name}: got "${redact(name, text)}", takes ${takes}.`)
    return value
  }
  const missing = (name: string, why: string) =>
    new ConfigError(`${name}: got nothing, takes ${known.get(name)}: ${why}.`)
  return Object.assign(read, { missing })
}

/** A base URL: http or https, without a trailing slash, query, fragment, user or password. */
export function readBase(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (!['http:', 'https:'].includes(url.protocol) || url.search || url.hash) return undefined
  return url.username || url.password ? undefined : url.href.replace(/\/$/, '')
}

/** Formats a value for an error message: one line, never a secret. */
function redact(name: string, text: string): string {
  if (/KEY|SECRET/.test(name)) return `${text.length} characters`
  return withoutPassword(text).replace(/\s+/g, ' ')
}

/** Removes user, password and query from an address. Passwords may contain any character; parameters may contain secrets. */
export function withoutPassword(address: string): string {
  return address.replace(/\/\/.*@/s, '//…@').replace(/\?.*/s, '')
}

export function toChildEnvironment(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('LECTERN_')))
}
