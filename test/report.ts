// An additional report: the seed of the run, tests that passed only after a retry, and skipped tests. With
// `--outputFile <path>`, all of it as JSON, which .ci/count.mjs reads.
import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

export interface Report {
  seed: number
  passed: number
  failed: number
  /** By file and full name. */
  skipped: string[]
  retried: string[]
}

const nameOf = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`

// biome-ignore lint/style/noDefaultExport: vitest requires it for a reporter
export default class implements Reporter {
  #vitest!: Vitest

  onInit(vitest: Vitest) {
    this.#vitest = vitest
    vitest.logger.log(`fast-check seed: ${this.#seed} (repeat the run with LECTERN_TEST_SEED=${this.#seed})`)
  }

  get #seed(): number {
    return this.#vitest.getRootProject().getProvidedContext().seed
  }

  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const those = (state: string) => tests.filter((test) => test.result().state === state)
    const report: Report = {
      seed: this.#seed,
      passed: those('passed').length,
      failed: those('failed').length,
      skipped: those('skipped').map(nameOf),
      retried: tests.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0).map(nameOf),
    }
    for (const name of report.retried) this.#vitest.logger.log(`retried: ${name}`)
    const { outputFile } = this.#vitest.config
    if (typeof outputFile === 'string') writeFileSync(outputFile, JSON.stringify(report))
  }
}
