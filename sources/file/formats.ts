// The formats of uploaded files, by file extension.
import { UnreadableSource } from '../source-type.ts'

export const fileEndings = ['pdf', 'md', 'txt', 'docx', 'xlsx', 'csv']

/** The extension in lower case. Null for a file of another kind. */
export function formatOfFile(name: string): string | null {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return fileEndings.includes(ending) ? ending : null
}

/** A file cannot be read. The message continues a sentence that begins with the file's name: "… is encrypted". */
export class BadFile extends UnreadableSource {}

/** Why a task could not read a file, as such a message. Throws other errors. */
export function toProblem(error: unknown): string {
  if (!(error instanceof UnreadableSource)) throw error
  return error.cause === undefined ? error.message : 'exceeds the limit of time or memory for reading'
}
