// `node bin/fetch-model.ts [--pip] <folder> [model]`: downloads the files of an embedding model to a folder for LECTERN_MODELS,
// the same way as Lectern at its start. `--pip`: only by pip.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toChildEnvironment } from '../services/config/variable.ts'
import { provideModelFiles } from '../services/model/local/fetch-model.ts'
import { localModels } from '../services/model/local/models.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)

const { values, positionals } = parseArgs({ options: { pip: { type: 'boolean' } }, allowPositionals: true })
const [folder, name = localModels[0]!.name] = positionals
const model = localModels.find((each) => each.name === name)

if (folder === undefined || model === undefined) {
  say(`usage: node bin/fetch-model.ts [--pip] <folder> [${localModels.map((each) => each.name).join(' | ')}]`)
  process.exitCode = 1
} else {
  const options = {
    log: { info: say, warn: say },
    signal: new AbortController().signal,
    environment: toChildEnvironment(process.env),
    pipOnly: values.pip ?? false,
  }
  try {
    await provideModelFiles(join(folder, name), model, options)
    say(`${model.name} is in ${folder}`)
  } catch (error) {
    say((error as Error).message)
    process.exitCode = 1
  }
}
