// Vectors of the model with a cache on disk, because embedding all manuals takes a quarter of an hour and more.
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hashText } from '../../../services/index/units.ts'
import { openLocalEmbedder } from '../../../services/model/local/local-embedder.ts'
import { localModels } from '../../../services/model/local/models.ts'
import type { Embedder, TextKind } from '../../../services/model/model.ts'
import { createOpenaiEmbedder } from '../../../services/model/openai-embedder.ts'

const weights = join(homedir(), '.cache/lectern-models')
const cache = join(homedir(), '.cache/lectern-bench')
const localModel = localModels[0]!
const textsAtOnce = 64

export interface CachedEmbedder extends Embedder {
  /** Any number of texts. */
  embedAll(texts: string[]): Promise<Float32Array[]>
  close(): Promise<void>
}

/** The endpoint that the environment names, else the default model; null, and a line, if its files are missing. */
async function openEmbedder(): Promise<(Embedder & { close?(): Promise<void> }) | null> {
  const { LECTERN_EMBEDDINGS_URL: url, LECTERN_EMBEDDINGS_MODEL: model } = process.env
  if (url && model) return createOpenaiEmbedder({ url, model, key: null, timeout: 600 })
  return openLocalEmbedder(join(weights, localModel.name), localModel).catch((error: Error) => {
    console.log(`The local model is left out: ${error.message}`)
    return null
  })
}

export async function openCachedEmbedder(): Promise<CachedEmbedder | null> {
  const embedder = await openEmbedder()
  if (embedder === null) return null
  mkdirSync(cache, { recursive: true })
  const db = new DatabaseSync(join(cache, 'vectors.sqlite'), { timeout: 60_000 })
  db.exec(`pragma journal_mode = wal; create table if not exists vectors (
    model text, kind text, hash text, vector blob, primary key (model, kind, hash)) without rowid`)
  const select = db.prepare('select vector from vectors where model = ? and kind = ? and hash = ?')
  const insert = db.prepare('insert or replace into vectors values (?, ?, ?, ?)')
  const read = (kind: string, text: string): Float32Array | null => {
    const row = select.get(embedder.name, kind, hashText(text)) as { vector: Uint8Array } | undefined
    return row ? new Float32Array(Uint8Array.from(row.vector).buffer) : null
  }

  async function embed(kind: TextKind, texts: string[], signal: AbortSignal) {
    const missing = texts.filter((text) => read(kind, text) === null)
    if (missing.length > 0) {
      const made = await embedder!.embed(kind, missing, signal)
      for (const [at, text] of missing.entries())
        insert.run(embedder!.name, kind, hashText(text), new Uint8Array(made[at]!.buffer))
    }
    return texts.map((text) => read(kind, text)!)
  }

  return {
    name: embedder.name,
    languages: embedder.languages,
    embed,
    async embedAll(texts) {
      const vectors: Float32Array[] = []
      for (let at = 0; at < texts.length; at += textsAtOnce)
        vectors.push(
          ...(await embed('passage', texts.slice(at, at + textsAtOnce), new AbortController().signal)),
        )
      return vectors
    },
    async close() {
      await embedder.close?.()
      db.close()
    },
  }
}
