// Server reflection, both versions, question by question, over a real HTTP/2 connection.
import { fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, describe, expect, it } from 'vitest'
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { openTestServer } from './core.ts'

const server = await openTestServer()
afterAll(() => server.close())

describe.each([
  ['v1', ServerReflection],
  ['v1alpha', ServerReflectionAlpha as unknown as typeof ServerReflection],
])('%s', (_, service) => {
  type Question =
    Parameters<
      ReturnType<typeof createClient<typeof ServerReflection>>['serverReflectionInfo']
    >[0] extends AsyncIterable<infer One>
      ? One
      : never

  async function ask(question: Question['messageRequest']) {
    const client = createClient(service, createGrpcTransport({ baseUrl: server.url }))
    async function* questions() {
      yield { messageRequest: question } as Question
    }
    for await (const answer of client.serverReflectionInfo(questions())) return answer.messageResponse
    throw new Error('no answer')
  }

  /** Names of the files in the response. */
  async function files(question: Question['messageRequest']) {
    const answer = await ask(question)
    if (answer.case !== 'fileDescriptorResponse') return answer
    return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name)
  }

  it.each([
    'lectern.v1.SearchService',
    'lectern.v1.SearchService.Search',
    'lectern.v1.SearchResponse',
    'lectern.v1.SearchRequest.q',
  ])('finds the file of %s with all its imports', async (symbol) => {
    const names = await files({ case: 'fileContainingSymbol', value: symbol })
    expect(names).toContain('lectern/v1/search.proto')
    expect(names).toContain('buf/validate/validate.proto')
    expect(names).toContain('google/protobuf/descriptor.proto')
  })

  it('finds files by name, and extensions by number', async () => {
    expect(await files({ case: 'fileByFilename', value: 'lectern/v1/error.proto' })).toEqual([
      'lectern/v1/error.proto',
    ])
    const extension = { containingType: 'google.protobuf.MethodOptions', extensionNumber: 50101 }
    expect(await files({ case: 'fileContainingExtension', value: extension as never })).toContain(
      'lectern/v1/options.proto',
    )
    expect(
      await ask({ case: 'allExtensionNumbersOfType', value: 'google.protobuf.MethodOptions' }),
    ).toMatchObject({ value: { extensionNumber: [50101, 50102, 50103] } })
  })

  it('reports an unknown name', async () => {
    const missing = { case: 'errorResponse', value: { errorCode: 5 } }
    expect(await ask({ case: 'fileContainingSymbol', value: 'Nothing' })).toMatchObject(missing)
    expect(await ask({ case: 'fileByFilename', value: 'no.proto' })).toMatchObject(missing)
    const extension = { containingType: 'no.Type', extensionNumber: 1 }
    expect(await ask({ case: 'fileContainingExtension', value: extension as never })).toMatchObject(missing)
  })
})
