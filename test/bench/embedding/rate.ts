// Texts per second of the local model: Lectern's embedder compared with fastembed (PyPI), each in a separate process, with the same
// model files, texts, batches and number of threads, in alternating rounds.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dotProduct, toEmbeddedTexts } from '../../../services/index/units.ts'
import { modelThreads } from '../../../services/model/local/local-embedder.ts'
import { testModel, weights } from '../../model/weights.ts'
import { readManualUnits } from '../agreement/manual-units.ts'
import { openFastembed } from '../references.ts'
import { type Table, toTarget } from '../report.ts'
import type { Manual } from '../site/manuals.ts'
import { createRandom, median, sample } from '../statistics.ts'
import { runMeasured } from '../usage.ts'

const textCount = 512
/** Texts of one call, as in services/embedding/embedding.ts. */
const batch = 64

/** What each program prints. */
interface Printed {
  /** For all texts, after the model has been loaded and has embedded a batch. */
  seconds: number
  /** Processor time of the same. */
  cpu: number
  /** Vectors of the first texts, to compare. */
  vectors: number[][]
}

interface Figures extends Printed {
  peak: number
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export async function measureRate(manual: Manual, rounds: number): Promise<Table[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-texts-'))
  try {
    const texts = join(folder, 'texts.json')
    const all = readManualUnits(manual).flatMap(toEmbeddedTexts)
    writeFileSync(texts, JSON.stringify(sample(all, textCount, createRandom(5))))
    const programs = await listPrograms(folder, texts)
    const measured = new Map<string, Figures[]>(programs.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const { name, command } of programs) {
        const { output, peak } = await runMeasured(command, {
          NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
        })
        measured.get(name)!.push({ ...(JSON.parse(output) as Printed), peak })
      }
    }
    return toTables(manual, measured)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function listPrograms(folder: string, texts: string) {
  const model = join(weights, testModel.name)
  const programs = [
    {
      name: 'Lectern',
      command: [process.execPath, here('embed-texts.ts'), model, texts, String(batch)],
    },
  ]
  const python = await openFastembed()
  if (python === null) return programs
  // fastembed reads the length and the padding from a file that Lectern does not need.
  for (const { name } of testModel.files) copyFileSync(join(model, name), join(folder, name))
  const config = { model_max_length: testModel.maxTokens.passage, pad_token: '[PAD]' }
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config))
  const script = [python, here('fastembed_texts.py'), folder, texts]
  return [
    ...programs,
    { name: 'fastembed', command: [...script, String(batch), String(modelThreads)] },
    { name: 'fastembed, default settings', command: script },
  ]
}

function toTables(manual: Manual, measured: Map<string, Figures[]>): Table[] {
  const medianOf = (name: string, field: (figures: Figures) => number) =>
    median(measured.get(name)!.map(field))
  const rate = (name: string) => textCount / medianOf(name, ({ seconds }) => seconds)
  const names = [...measured.keys()]
  const rows = names.map((name) => ({
    program: name,
    texts: textCount,
    'texts/s': rate(name),
    'CPU ms a text': (1_000 * medianOf(name, ({ cpu }) => cpu)) / textCount,
    'peak MB': medianOf(name, ({ peak }) => peak),
    'Lectern ×': rate('Lectern') / rate(name),
  }))
  const title = `Embedding texts of the manual ${manual.name}: the same model files, without the rest of the product`
  const notes = [
    `Lectern and fastembed embed ${batch} texts at a time, threads: ${modelThreads}; by default, fastembed embeds 256 on all cores.`,
  ]
  if (!measured.has('fastembed')) return [{ title, rows, notes }]
  const [ours, theirs] = ['Lectern', 'fastembed'].map((name) => measured.get(name)![0]!.vectors)
  const cosines = ours!.map((vector, at) =>
    dotProduct(Float32Array.from(vector), Float32Array.from(theirs![at]!)),
  )
  notes.push(`Vectors of the first texts agree: their cosine is ${Math.min(...cosines).toFixed(3)} or more.`)
  const ratio = rate('Lectern') / rate('fastembed')
  return [
    { title, rows, notes },
    {
      title: 'Embedding texts: target',
      rows: [toTarget('texts/s, × fastembed', ratio, '≥', 1)],
    },
  ]
}
