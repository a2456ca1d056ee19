/** The terms of a project's pages, for prefixes and corrections: derived data, written whole. */
export interface VocabularyStore {
  /** Grows with every write; 0 where there is none. */
  version(project: string): Promise<number>
  read(project: string): Promise<{ version: number; terms: Uint8Array } | null>
  /** Answers the new version; 0 when the project is gone. */
  write(project: string, terms: Uint8Array): Promise<number>
}
