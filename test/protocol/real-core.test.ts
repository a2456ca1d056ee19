// Clients that know only the contract, on one complete Lectern.
import { afterAll, describe } from 'vitest'
import { closeSharedCore } from './real-core.ts'

const suites = {
  'Connect, gRPC-Web and grpcurl': './clients.suite.ts',
  // Last, because it stops the process.
  'a stock client of gRPC': './grpc.suite.ts',
}

afterAll(closeSharedCore)

for (const [name, file] of Object.entries(suites)) describe(name, () => import(file))
