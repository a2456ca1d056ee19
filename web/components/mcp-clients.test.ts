// The settings that the widget shows are those of the manual.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listMcpClients } from './mcp-clients.ts'

const manual = readFileSync(new URL('../../manual/agents.md', import.meta.url), 'utf8')

test.each([
  ['without a key', false, '## Clients'],
  ['with a key', true, '### With a key'],
])('%s, the settings are those of manual/agents.md', (_, hasKey, heading) => {
  const section = manual.split(`${heading}\n`)[1]!.split('\n#')[0]!
  const shown = [...section.matchAll(/^(.+), in `(.+?)`[^`]*:\n\n```json\n([\s\S]*?)```/gm)].map(
    ([, name, file, json]) => ({ name, file, settings: JSON.parse(json!) }),
  )
  const server = 'http://127.0.0.1:8080/'
  expect(shown).toEqual(listMcpClients({ server, slug: 'my-docs', hasKey }))
})
