// The weights of the default embedding model, for tests that run it: downloaded once, by .ci/run or by hand.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { localModels } from '../../services/model/local/models.ts'

export const testModel = localModels[0]!
/** A value for LECTERN_MODELS: one folder per model. */
export const weights = join(homedir(), '.cache/lectern-models')
const isThere = testModel.files.every(({ name }) => existsSync(join(weights, testModel.name, name)))

/** For a process that embeds with them (test/e2e/lectern-process.ts). */
export const weightsSettings = { LECTERN_EMBEDDINGS: 'local', LECTERN_MODELS: weights }

/** On a developer's machine without the weights, tests that need them are skipped with a line. CI requires them. */
export const withoutWeights = !isThere && !process.env.CI
if (withoutWeights) console.log(`skipped: ${testModel.name} (node bin/fetch-model.ts ${weights})`)
