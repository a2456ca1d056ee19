// The official conformance suite of MCP against a real process.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { sharedHarbor } from '../e2e/harbor.ts'
import { createFolder } from '../folder.ts'

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const notApplicable = fileURLToPath(new URL('not-applicable.yml', import.meta.url))
const applicable = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']

test('passes every applicable scenario of the suite, and only listed ones fail', async () => {
  const harbor = await sharedHarbor()
  await harbor.lectern.call('PATCH', '/api/v2/projects/harbor/', { config: { mcp: { enabled: true } } })
  // It writes its results to the working directory.
  const cwd = createFolder()
  const url = `${harbor.lectern.baseUrl}/v2/harbor/mcp`
  const args = ['server', '--url', url, '--suite', 'all', '--expected-failures', notApplicable]
  // It ends with 1 if another scenario fails, or if one of the expected failures passes.
  const run = promisify(execFile)(process.execPath, [suite, ...args], { cwd })
  const { stdout } = await run.catch(({ stdout }) => expect.fail(stdout.slice(-3_000)))
  for (const name of applicable) expect(stdout).toMatch(new RegExp(`✓ ${name}: [1-9]\\d* passed, 0 failed`))
})
