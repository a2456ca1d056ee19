// Backends of the contract suites: existing servers if their addresses are set, otherwise servers that are started here.
//
//   LECTERN_TEST_MONGODB_URL, LECTERN_TEST_WEAVIATE_URL with LECTERN_TEST_WEAVIATE_GRPC
//
// Tests of faults stop and start their servers, so they always start their own.
import { missingServers, type ServerName } from './binaries.ts'
import { openFerretdb } from './ferretdb.ts'
import { openWeaviate } from './weaviate.ts'

const given = {
  mongodb: process.env.LECTERN_TEST_MONGODB_URL,
  weaviate: process.env.LECTERN_TEST_WEAVIATE_URL,
  weaviateGrpc: process.env.LECTERN_TEST_WEAVIATE_GRPC,
}

const left = async () => {}

/** For `describe.skipIf`: whether such a backend is available. In CI, a missing one throws. */
export function isMissing(server: Exclude<ServerName, 'toxiproxy'>): boolean {
  const address = { ferretdb: given.mongodb, weaviate: given.weaviate, temporal: undefined }[server]
  const missing = !address && missingServers().includes(server)
  if (missing && process.env.CI) throw new Error(`CI needs ${server}: run node test/servers/build.ts.`)
  return missing
}

/** A server that speaks MongoDB's protocol. An existing one may contain data, so use a new database. */
export async function openMongodbBackend(): Promise<{ url: string; remove(): Promise<void> }> {
  return given.mongodb ? { url: given.mongodb, remove: left } : openFerretdb()
}

export async function openWeaviateBackend(): Promise<{ url: string; grpc: string; remove(): Promise<void> }> {
  const { weaviate: url, weaviateGrpc: grpc } = given
  return url && grpc ? { url, grpc, remove: left } : openWeaviate()
}
