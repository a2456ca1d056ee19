// What a quality comparison asks of an engine: the pages it finds, best first.
import type { ManualSection } from '../corpus/sections.ts'

export type QueryClass = 'terms' | 'prefixes' | 'typing errors' | 'questions'

export interface Query {
  class: QueryClass
  text: string
  /** Pages that answer it, as paths in the manual. */
  pages: Set<string>
  /** The tuning half: what settings may be chosen by. The other half is for the closing figures. */
  isTuning: boolean
}

/** A setting's name and the value chosen. */
export type Settings = Record<string, number | string>

export interface ReferenceEngine {
  name: string
  /** Each setting with the values that tuning tries; the first is where it starts. */
  choices: Record<string, (number | string)[]>
  open(sections: ManualSection[]): {
    /** The best 50, best first. */
    search(query: string, settings: Settings): ManualSection[]
    close(): void
  }
}

/** Their pages, each once. */
export function toPages(sections: ManualSection[]): string[] {
  return [...new Set(sections.map(({ page }) => page))]
}
