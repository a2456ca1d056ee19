// An archive as a file: whole lines in, whole lines out.
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

const lineEnd = 0x0a

/**
 * The lines that have an end; what a cut leaves behind the last one is passed over. Only `\n` ends a line: documentation
 * holds other separators, which node:readline would take for one.
 */
export async function* wholeLines(path: string): AsyncGenerator<string> {
  let pieces: Buffer[] = []
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(lineEnd); at !== -1; at = chunk.indexOf(lineEnd, from)) {
      const bytes = Buffer.concat([...pieces, chunk.subarray(from, at)])
      pieces = []
      from = at + 1
      yield bytes.toString()
    }
    pieces.push(chunk.subarray(from))
  }
}

/** Appends lines to an empty file. */
export function createLineWriter(file: FileHandle): (lines: string[]) => Promise<void> {
  let position = 0
  return async (lines) => {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
      done += bytesWritten
    }
    position += bytes.length
  }
}
