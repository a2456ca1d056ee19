// A command is a row that describes its arguments and options. This file also has the commands that make one call to the core,
// and readers of arguments. A reader throws InvalidArgumentError, which commander prints with the argument's name.
import type { DescMethodUnary } from '@bufbuild/protobuf'
import { InvalidArgumentError, Option } from 'commander'
import type { CliClient, JsonObject } from './client.ts'
import { type Columns, printJson, printLine, printRows, readPages } from './print.ts'

/** What commander passes: the arguments, then the options. */
// biome-ignore lint/suspicious/noExplicitAny: the types follow from the usage and the options
type Given = any[]
type Run = (core: CliClient, ...given: Given) => Promise<void>

export interface Command {
  /** `keys create <name> <permission...>` */
  usage: string
  about?: string
  /** Argument name → its description and its parser. */
  arguments?: Record<string, [about: string, read?: (text: string) => unknown]>
  options?: Option[]
  isDefault?: boolean
  run?: Run
  /** In place of `run`, for commands that need no client of the core. */
  runHere?(...given: Given): Promise<void>
}

/** The options of a command. */
export type Options = Given[number]

/** Fields of the API for options: `maxPages` → `max_pages`, or as `renamed` says. */
export function toFields(options: Options, renamed: Record<string, string> = {}): JsonObject {
  const toName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const fields = Object.entries(options).map(([name, value]) => [renamed[name] ?? toName(name), value])
  return Object.fromEntries(fields)
}

/** Builds a request. `fields`: field names of the arguments, in order. */
function toInput(fields: string[], renamed: Record<string, string>, given: Given): JsonObject {
  const { json: _, limit: __, ...options } = given.at(-1)
  const values = Object.fromEntries(fields.map((field, at) => [field, given[at]]))
  return { ...values, ...toFields(options, renamed) }
}

interface CallOptions {
  /** Option name → field name in the request. */
  renamed?: Record<string, string>
  /** Printed on standard error after the line. */
  note?: string
}

/** Makes one call. Prints a line made from request and response, or with `--json` the response. */
export function call(
  rpc: DescMethodUnary,
  fields: string[],
  say: (about: JsonObject) => string,
  { renamed = {}, note = '' }: CallOptions = {},
): Run {
  return async (core, ...given) => {
    const input = toInput(fields, renamed, given)
    const answer = await core.call(rpc, input)
    if (given.at(-1).json) return printJson(answer)
    printLine(say({ ...input, ...answer }))
    if (note) process.stderr.write(`${note}\n`)
  }
}

/** Prints a list as a table, or as one JSON document per page. Prints all rows without the option `limit`. */
export function list(
  rpc: DescMethodUnary,
  fields: string[],
  columns: Columns,
  renamed: Record<string, string> = {},
): Run {
  return async (core, ...given) => {
    const { json, limit } = given.at(-1)
    const rows: JsonObject[] = []
    let count = 0
    for await (const page of readPages(core, rpc, toInput(fields, renamed, given), limit)) {
      count = page.count
      if (json) printJson(page)
      else rows.push(...page.results)
    }
    if (!json) printRows(columns, rows)
    if (limit && count > limit) process.stderr.write(`${limit} of ${count} are shown: --limit shows more.\n`)
  }
}

export const option = (flags: string, about: string) => new Option(flags, about)
export const json = option('--json', 'print JSON')
export const limit = (about: string, rows: number) =>
  option('-n, --limit <number>', about).argParser(readNumber).default(rows)
export const oneOf = (flags: string, about: string, names: readonly string[]) =>
  option(flags, about).choices(names)

const matching =
  <Value>(form: RegExp, takes: string, toValue: (text: string) => Value) =>
  (text: string): Value => {
    if (form.test(text)) return toValue(text)
    throw new InvalidArgumentError(`It must be ${takes}.`)
  }

export const readNumber = matching(/^[1-9]\d{0,6}$/, 'a whole number from 1', Number)
export const readCount = matching(/^\d{1,4}$/, 'a whole number from 0', Number)
export const readSwitch = matching(/^(?:on|off)$/, 'on or off', (text) => text === 'on')
export const readDays = matching(/^(?:none|[1-9]\d{0,5})$/, 'a whole number from 1, or none', (text) =>
  text === 'none' ? text : Number(text),
)

/** Checks the address before a project is created, so that a typo leaves no project without a source. */
export function readAddress(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('It must be an http or https address.')
}

export function readTime(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be an RFC 3339 time.')
  return time.toISOString()
}
