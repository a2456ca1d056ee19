// The examples in the manual's pages: commands of curl, and the JSON of responses.
import { readFileSync } from 'node:fs'

export interface Example {
  /** The page that has it, and its line there. */
  place: string
  command: string
}

/** A JSON value of a response in the manual. */
export interface Shown {
  place: string
  json: unknown
}

const manual = new URL('../../manual/', import.meta.url)

/** Fenced blocks of a language, with the line that each begins on. */
export function blocksOf(page: string, language: string): { line: number; text: string }[] {
  const lines = readFileSync(new URL(`${page}.md`, manual), 'utf8').split('\n')
  const blocks: { line: number; text: string }[] = []
  for (let at = 0; at < lines.length; at++) {
    if (lines[at] !== `\`\`\`${language}`) continue
    const end = lines.indexOf('```', at)
    blocks.push({ line: at + 2, text: lines.slice(at + 1, end).join('\n') })
    at = end
  }
  return blocks
}

/** Commands of curl, with their continuation lines. */
export function examplesOf(page: string): Example[] {
  return blocksOf(page, 'sh').flatMap(({ line, text }) => {
    const found: Example[] = []
    for (const [at, part] of text.split('\n').entries()) {
      if (part.startsWith('curl ')) found.push({ place: `${page}.md:${line + at}`, command: part })
      else if (found.length > 0) found.at(-1)!.command += `\n${part}`
    }
    return found
  })
}

export function shownOf(page: string): Shown[] {
  return blocksOf(page, 'json').map(({ line, text }) => ({
    place: `${page}.md:${line}`,
    json: JSON.parse(text),
  }))
}

/** The names of each object within a value. */
export function shapesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const within = Object.values(value).flatMap(shapesOf)
  return Array.isArray(value) ? within : [Object.keys(value).sort().join(), ...within]
}
