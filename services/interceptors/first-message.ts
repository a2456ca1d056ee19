// The first message of a streaming request, looked at before the handler reads the stream.
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { StreamRequest } from '@connectrpc/connect'

/** Waits for the first message, and answers it with a request whose stream still begins with it. */
export async function peekFirst(
  request: StreamRequest,
): Promise<{ first: MessageShape<DescMessage> | undefined; request: StreamRequest }> {
  const messages = request.message[Symbol.asyncIterator]()
  const first = await messages.next()
  async function* all() {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => messages }
  }
  return { first: first.done ? undefined : first.value, request: { ...request, message: all() } }
}
