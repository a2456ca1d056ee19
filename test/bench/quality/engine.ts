// A labeled query of a quality comparison.

export type QueryClass = 'terms' | 'prefixes' | 'typing errors' | 'questions'

export interface Query {
  class: QueryClass
  text: string
  /** Pages that answer it, as paths in the manual. */
  pages: Set<string>
  /** The tuning half, for choosing settings. The other half is for the closing figures. */
  isTuning: boolean
}
