// gRPC server reflection, v1 and v1alpha: describes the services to clients such as grpcurl.
import { createRegistry, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, type ConnectRouter } from '@connectrpc/connect'
import { ServerReflection, type ServerReflectionRequest } from '../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { file_lectern_v1_error } from '../../gen/lectern/v1/error_pb.js'

type Question = ServerReflectionRequest['messageRequest']
type Asked = Pick<ServerReflectionRequest, 'host' | 'messageRequest'>

/** Registers both versions. They describe `services` and the error details. */
export function addReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const answer = createAnswer(services)
  async function* serverReflectionInfo(requests: AsyncIterable<Asked>) {
    for await (const { host, messageRequest } of requests) {
      yield {
        validHost: host,
        originalRequest: { host, messageRequest },
        messageResponse: answer(messageRequest),
      }
    }
  }
  router.service(ServerReflection, { serverReflectionInfo })
  // The versions differ only in the names of their types.
  router.service(ServerReflectionAlpha, { serverReflectionInfo } as never)
}

function createAnswer(services: readonly DescService[]) {
  const files = withImports([...services.map((service) => service.file), file_lectern_v1_error])
  const registry = createRegistry(...files)

  /** Returns the file with all its imports. */
  function found(file: DescFile | undefined) {
    if (file === undefined) return failure(Code.NotFound, 'not found')
    const fileDescriptorProto = withImports([file]).map(({ proto }) =>
      toBinary(FileDescriptorProtoSchema, proto),
    )
    return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } } as const
  }

  return (question: Question) => {
    switch (question.case) {
      case 'listServices':
        return {
          case: 'listServicesResponse',
          value: { service: services.map((service) => ({ name: service.typeName })) },
        } as const
      case 'fileByFilename':
        return found(files.find((file) => `${file.name}.proto` === question.value))
      case 'fileContainingSymbol':
        return found(findFile(question.value))
      case 'fileContainingExtension':
        return found(findExtension(question.value)?.file)
      case 'allExtensionNumbersOfType':
        return {
          case: 'allExtensionNumbersResponse',
          value: { baseTypeName: question.value, extensionNumber: listExtensions(question.value) },
        } as const
      default:
        return failure(Code.InvalidArgument, 'the request is empty')
    }
  }

  /** A symbol is a type, a service, or a member of one: a method, a field, an enum value. */
  function findFile(symbol: string): DescFile | undefined {
    const owner = symbol.slice(0, Math.max(symbol.lastIndexOf('.'), 0))
    return (registry.get(symbol) ?? registry.get(owner))?.file
  }

  function findExtension(asked: { containingType: string; extensionNumber: number }) {
    const extendee = registry.getMessage(asked.containingType)
    return extendee && registry.getExtensionFor(extendee, asked.extensionNumber)
  }

  function listExtensions(typeName: string): number[] {
    const extensions = files.flatMap((file) => file.extensions)
    return extensions.filter(({ extendee }) => extendee.typeName === typeName).map(({ number }) => number)
  }
}

function failure(errorCode: Code, errorMessage: string) {
  return { case: 'errorResponse', value: { errorCode, errorMessage } } as const
}

function withImports(files: DescFile[]): DescFile[] {
  const all = new Set<DescFile>()
  const add = (file: DescFile) => {
    if (all.has(file)) return
    all.add(file)
    for (const dependency of file.dependencies) add(dependency)
  }
  for (const file of files) add(file)
  return [...all]
}
