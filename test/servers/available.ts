// Whether tests that need real servers can run here, and why not.
import { missingServers } from './binaries.ts'

/**
 * For `describe.skipIf(!serversAvailable)`. In CI the servers are required: there this module throws where one is missing, and
 * the test file that imports it fails.
 */
export const serversAvailable = missingServers().length === 0

if (!serversAvailable && process.env.CI) {
  throw new Error(`CI needs the servers of test/servers; missing: ${missingServers().join(', ')}.`)
}
