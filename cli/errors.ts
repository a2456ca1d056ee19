// Errors of the core in the words of the command line.
import { Code, ConnectError } from '@connectrpc/connect'
import { ErrorDetailSchema } from '../gen/lectern/v1/error_pb.js'

/** Of an error that names fields: the same, with what `describe` makes of each. Anything else comes back as it is. */
export function describeFields(
  error: unknown,
  describe: (field: string, problem: string) => string,
): unknown {
  if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) return error
  const [detail] = error.findDetails(ErrorDetailSchema)
  const sentences = Object.entries(detail?.fields ?? {}).map(([field, { messages }]) =>
    describe(field, messages.join(', ')),
  )
  return sentences.length === 0 ? error : new ConnectError(`${sentences.join('; ')}.`, error.code)
}
