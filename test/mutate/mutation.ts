// A protection of the product that is taken out by one change of text; the tests named beside it must then fail.

export interface Mutation {
  name: string
  file: string
  /** Occurs in the file exactly once. */
  search: string
  replacement: string
  /** Test files, run together. */
  tests: string[]
}
