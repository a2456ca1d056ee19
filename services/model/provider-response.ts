// What a provider answers: a Response for the providers' clients, whose body is read by callbacks. As a web stream, each
// token of an answer would pass a dozen promises before anyone reads it.
import { StringDecoder } from 'node:string_decoder'
import type { Dispatcher } from 'undici'

/** Who reads a body: told of each piece as it comes. */
export interface BodyReader {
  /** Whole characters. What it throws ends the request, and is what broke the body off. */
  data(text: string): void
  /** Last of all; with what broke the body off, or null. */
  end(error: Error | null): void
}

export interface Body {
  /** From now on this reader is told, in place of one before it. Nothing is read of a body that nobody reads. */
  read(reader: BodyReader): void
  /** Reads no further; what is being read may still come. */
  pause(): void
  resume(): void
  /** Ends the request. */
  leave(reason: Error): void
}

/** A body, from the side of the connection that fills it. */
export interface ProviderBody extends Body {
  push(chunk: Uint8Array): void
  end(error: Error | null): void
}

export class ProviderResponse extends Response {
  /** In place of `body`, which is null. */
  readonly content: Body
  override readonly text = () => readWhole(this.content)
  override readonly json = async () => JSON.parse(await this.text())

  constructor(content: Body, init: ResponseInit) {
    super(null, init)
    this.content = content
  }
}

export function createProviderBody(controller: Dispatcher.DispatchController): ProviderBody {
  const decoder = new StringDecoder('utf8')
  let reader: BodyReader | null = null
  let ended: { error: Error | null } | null = null
  controller.pause()
  return {
    read(next) {
      reader = next
      if (ended) next.end(ended.error)
      else controller.resume()
    },
    pause: () => controller.pause(),
    resume: () => controller.resume(),
    leave: (reason) => controller.abort(reason),
    push(chunk) {
      const text = decoder.write(chunk as Buffer)
      if (text !== '') reader?.data(text)
    },
    end(error) {
      ended ??= { error }
      reader?.end(ended.error)
    },
  }
}

function readWhole(content: Body): Promise<string> {
  return new Promise((resolve, reject) => {
    let whole = ''
    content.read({
      data(text) {
        whole += text
      },
      end: (error) => (error ? reject(error) : resolve(whole)),
    })
  })
}
