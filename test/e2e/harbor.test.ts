// What readers, older clients and agents do, on one Lectern with a small site.
import { afterAll, describe } from 'vitest'
import { closeSharedHarbor } from './harbor.ts'

const suites = {
  // Must run first, because it counts the chats of the project.
  'analytics of chats': './chat-analytics.suite.ts',
  conversations: './chat-conversation.suite.ts',
  'REST v1': './rest-v1.suite.ts',
  'chats over REST v1': './rest-v1-chats.suite.ts',
  'the conformance suite of MCP': '../mcp/conformance.suite.ts',
  // Must run last, because it adds a source that cannot be read.
  'MCP over standard input and output': '../mcp/stdio.suite.ts',
}

afterAll(closeSharedHarbor)

for (const [name, file] of Object.entries(suites)) describe(name, () => import(file))
