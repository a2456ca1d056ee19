// A protection of the product that is removed by one change of text; the tests named with it must then fail.

export interface Mutation {
  name: string
  file: string
  /** Occurs in the file exactly once. */
  search: string
  replacement: string
  /** Test files, run together. */
  tests: string[]
  /** Part of the full name of a test that must fail. */
  expected: string
}
