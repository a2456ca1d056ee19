// `lectern sources`: lists, adds and removes the sources of a project.
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { JsonObject } from '@bufbuild/protobuf'
import {
  ListSourcesResponseSchema,
  SourceSchema,
  SourceState,
  SourceType,
} from '../gen/lectern/v1/source_pb.js'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson, printLine, printList } from './print.ts'

/** As they are written on the command line. */
export const sourceTypes = Object.values(SourceType)
  .filter((name) => typeof name === 'string' && name !== 'UNSPECIFIED')
  .map((name) => String(name).toLowerCase())

export async function listSources(client: CoreClient, slug: string, options: PrintOptions): Promise<void> {
  await printList(options, {
    head: ['UUID', 'TYPE', 'STATE', 'PAGES', 'NAME', 'ERROR'],
    schema: ListSourcesResponseSchema,
    read: (page) => client.sources.listSources({ slug, ...page }),
    toRow({ uuid, type, state, name, pageCount, lastError = '' }) {
      const [typeName, stateName] = [SourceType[type], SourceState[state]].map((each) =>
        String(each).toLowerCase(),
      )
      return [uuid, typeName!, stateName!, String(pageCount), name, lastError]
    },
  })
}

export interface AddOptions extends PrintOptions {
  type: string
  name?: string
  include?: string[]
  exclude?: string[]
  maxPages?: number
  maxDepth?: number
  branch?: string
  baseUrl?: string
  /** File that holds the API description, in JSON or YAML. */
  spec?: string
  spaceKey?: string
  email?: string
  header?: string
  /** File that holds it. */
  token?: string
  /** File that holds it. */
  value?: string
}

export async function addSource(
  client: CoreClient,
  slug: string,
  url: string | undefined,
  { json, type, token, value, email, header, spec, ...fields }: AddOptions,
): Promise<void> {
  const credentials = {
    ...(email !== undefined && { email }),
    ...(header !== undefined && { header }),
    ...(token !== undefined && { token: await readSecret(token) }),
    ...(value !== undefined && { value: await readSecret(value) }),
  }
  const { source } = await client.sources.createSource({
    slug,
    source: {
      ...fields,
      type: SourceType[type.toUpperCase() as keyof typeof SourceType],
      ...(url !== undefined && { url }),
      ...(spec !== undefined && { spec: await readSpec(spec) }),
      ...(Object.keys(credentials).length > 0 && { credentials }),
    },
  })
  if (!source) return
  if (json) printJson(SourceSchema, source)
  else printLine(`Added source ${source.uuid}.`)
}

export async function removeSource(client: CoreClient, slug: string, sourceUuid: string): Promise<void> {
  await client.sources.deleteSource({ slug, sourceUuid })
  printLine(`Removed source ${sourceUuid}.`)
}

async function readSpec(file: string): Promise<JsonObject> {
  const { parse } = await import('yaml')
  return parse(await readText(file), { logLevel: 'silent' })
}

/** A secret on the command line would stand in the list of processes. */
async function readSecret(file: string): Promise<string> {
  return (await readText(file)).trim()
}

function readText(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8')
}
