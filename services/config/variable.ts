// Reads single environment variables, and filters the environment of child processes. An empty variable is unset.

/** Prevents the start. Its message is one line with the variable, its value and the accepted values. */
export class ConfigError extends Error {}

export type Environment = Record<string, string | undefined>

/** Returns the parsed value; undefined if the text is invalid. */
type Parse<T> = (text: string) => T | undefined

/** Returns the value of the variable, or `fallback` if it is unset. Throws ConfigError. */
export type ReadVariable = <T, const F>(name: string, fallback: F, takes: string, reader: Parse<T>) => T | F

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
  return (name, fallback, takes, reader) => {
    const text = environment[name]?.trim()
    if (!text) return fallback
    const value = reader(text)
    if (value === undefined) throw new ConfigError(`${name}: got "${redact(name, text)}", takes ${takes}.`)
    return value
  }
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
