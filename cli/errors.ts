// Errors of the core, with arguments of the command line in place of fields.
import { Code, ConnectError } from '@connectrpc/connect'
import { ErrorDetailSchema } from '../gen/lectern/v1/error_pb.js'

/** Rewrites each field error with `describe`. Returns other errors unchanged. */
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
