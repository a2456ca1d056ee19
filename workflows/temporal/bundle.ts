// Bundles the workflows into one script, as Temporal's sandbox needs them. Bundling takes seconds, so the script is cached
// next to the dependencies. `node workflows/temporal/bundle.ts` creates it before the first start.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker'

const here = fileURLToPath(new URL('./', import.meta.url))
const plans = fileURLToPath(new URL('../', import.meta.url))
const cache = fileURLToPath(new URL('../../node_modules/.cache/lectern/', import.meta.url))

/** The bundle of exactly these sources and this SDK. Created if it is not cached. */
export async function openWorkflowBundle(): Promise<WorkflowBundleOption> {
  const codePath = join(cache, `workflows-${await stampOfSources()}.cjs`)
  if (existsSync(codePath)) return { codePath }
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(here, 'workflows.ts'),
    logger: new DefaultLogger('WARN'),
  })
  try {
    await mkdir(cache, { recursive: true })
    // Atomic, because several workers may start at the same time.
    const temporary = `${codePath}.${process.pid}`
    await writeFile(temporary, code)
    await rename(temporary, codePath)
  } catch {
    // The folder is not writable: the next start bundles again.
  }
  return { code }
}

/** A hash of more files than the bundle has: only webpack knows its files. */
async function stampOfSources(): Promise<string> {
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json')
  const hash = createHash('sha256').update(version)
  for (const folder of [here, plans]) {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.ts')).sort()
    for (const file of files) hash.update(file).update(await readFile(join(folder, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

if (import.meta.main) await openWorkflowBundle()
