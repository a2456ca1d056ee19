// Requests that schemathesis generates from the descriptions, valid and invalid ones: the responses conform, valid requests
// are accepted, and no internal error occurs.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harbor, openHarbor } from '../e2e/harbor.ts'
import { adminKey } from '../e2e/lectern-process.ts'
import { createFolder } from '../folder.ts'
import { runSchemathesis, withoutSchemathesis } from './schemathesis.ts'

const timeoutMs = 900_000

describe.skipIf(withoutSchemathesis)('schemathesis', () => {
  let harbor: Harbor
  const folder = createFolder()
  beforeAll(async () => {
    harbor = await openHarbor()
  })
  afterAll(() => harbor.close())

  test.each(['v2', 'v1'] as const)(
    'finds nothing wrong with %s',
    async (version) => {
      const config = join(folder, `${version}.toml`)
      await writeFile(config, toConfig(version))
      const { passed, report } = await runSchemathesis({
        url: `${harbor.lectern.baseUrl}/api/${version}/openapi.json`,
        config,
        authorization: `Api-Key ${adminKey}`,
        environment: { LECTERN_TEST_SITE: harbor.site },
      })
      expect(passed, report).toBe(true)
      expect(report).toMatch(/Selected: (\d+)\/\1\b/)
      expect(harbor.lectern.output.filter((line) => line.includes('unexpected error'))).toEqual([])
    },
    timeoutMs,
  )
})

/** Checks that do not apply, and why. */
const left: Record<'v1' | 'v2', Record<string, string>> = {
  v2: { positive_data_acceptance: 'valid_request_is_taken judges it, by the fields that are named' },
  v1: {
    positive_data_acceptance: 'valid_request_is_taken judges it, by the fields that are named',
    missing_required_header: 'v1 answers 403 where v2 answers 401, as older clients expect',
  },
}

/** The project with pages is kept: deletions and changes are directed to others. */
const toConfig = (version: 'v1' | 'v2') => `
continue-on-failure = true

[generation]
deterministic = true
no-shrink = true
max-examples = 6

[phases.stateful]
# It would follow links to things that it made itself, while the project is the same for all.
enabled = false

[phases.coverage.generation]
mode = "positive"

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 415, 429, 431]
# v1 passes over what it does not know, for older clients paste what they like.
enabled = ${version === 'v2'}

${Object.keys(left[version])
  .map((check) => `[checks.${check}]\nenabled = false\n`)
  .join('\n')}
[parameters]
"path.slug" = "harbor"

${
  version === 'v2'
    ? `[[operations]]
include-name = "DELETE /api/v2/projects/{slug}/"
parameters = { "path.slug" = "none" }

[[operations]]
include-name = "PATCH /api/v2/projects/{slug}/"
parameters = { "path.slug" = "secret" }

# An empty parameter counts as left out.
[[operations]]
include-path-regex = "/analytics/"
checks.negative_data_rejection.enabled = false`
    : ''
}
`
