// Reads one variable of the environment, where empty means unset, and filters the environment of child processes.

/** Stops the start with one line that names the variable, its value and the accepted values. */
export class ConfigError extends Error {}

export type Environment = Record<string, string | undefined>

/** What the text means; undefined where it is no good. */
type Parse<T> = (text: string) => T | undefined

/** The value of `name`, or `fallback` where it is unset. Throws ConfigError. */
export type ReadVariable = <T, const F>(name: string, fallback: F, takes: string, reader: Parse<T>) => T | F

/** Of the keys that servers and providers give. */
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
    if (value === undefined) throw new ConfigError(`${name}: got "${shown(name, text)}", takes ${takes}.`)
    return value
  }
}

/** An http or https address to build on, without a closing slash, query, fragment, user or password. */
export function readBase(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (!['http:', 'https:'].includes(url.protocol) || url.search || url.hash) return undefined
  return url.username || url.password ? undefined : url.href.replace(/\/$/, '')
}

/** What the message shows: one line, and never a secret. */
function shown(name: string, text: string): string {
  if (/KEY|SECRET/.test(name)) return `${text.length} characters`
  return withoutPassword(text).replace(/\s+/g, ' ')
}

/** An address as messages and logs may show it: a password may hold any character, and parameters may hold others. */
export function withoutPassword(address: string): string {
  return address.replace(/\/\/.*@/s, '//…@').replace(/\?.*/s, '')
}

export function toChildEnvironment(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('LECTERN_')))
}
