// What a client sends over the socket: the bytes of one frame → a message, or a sentence that says what is wrong with
// it. Unknown fields are ignored; null counts as absent, and so does '' where nothing can be meant by it.
import { RetrievalMode } from '../../gen/lectern/v1/chat_pb.js'

export interface ClientMessage {
  message: string
  /** '' where it is absent, as with the others. */
  chatId: string
  url: string
  email: string
  apiKey: string
  restoreToken: string
  metadata: string
  version: string
  language: string
  /** Undefined: the project's default. */
  thinkMode: boolean | undefined
  retrievalMode: RetrievalMode
}

interface ReadFrame {
  /** The turn's identifier where progress was negotiated, else null. Told of a faulty message too, if it can be read. */
  requestId: string | null
  /** The message, or a sentence for a person. */
  outcome: ClientMessage | string
}

type Fields = Record<string, unknown>

const progressCapability = 'activity.v1'
export const requestIdForm = /^[A-Za-z0-9._:-]{1,80}$/

const texts = ['chatId', 'url', 'email', 'apiKey', 'restoreToken', 'version', 'language'] as const

const retrievalModes: Record<string, RetrievalMode> = {
  auto: RetrievalMode.AUTO,
  instant: RetrievalMode.INSTANT,
}

export function readFrame(bytes: Uint8Array): ReadFrame {
  const json = readJson(bytes)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { requestId: null, outcome: 'A message must be a JSON object in UTF-8.' }
  }
  const fields = json as Fields
  return { requestId: readRequestId(fields), outcome: faultOf(fields) ?? toMessage(fields) }
}

/** A client asks for progress with the capability and a valid requestId; one without the other counts as neither. */
function readRequestId({ capabilities, requestId }: Fields): string | null {
  const isAsked = Array.isArray(capabilities) && capabilities.includes(progressCapability)
  return isAsked && typeof requestId === 'string' && requestIdForm.test(requestId) ? requestId : null
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** Lengths are for the core to check. */
function faultOf(fields: Fields): string | null {
  const { message, thinkMode } = fields
  if (typeof message !== 'string' || message.trim() === '') return 'message must be a text that is not empty.'
  const wrong = texts.find((name) => typeof (fields[name] ?? '') !== 'string')
  if (wrong) return `${wrong} must be a string.`
  if (typeof (thinkMode ?? false) !== 'boolean') return 'thinkMode must be true or false.'
  const broken = ['message', ...texts].find((name) => !((fields[name] ?? '') as string).isWellFormed())
  return broken ? `${broken} must be valid Unicode.` : null
}

function toMessage(fields: Fields): ClientMessage {
  const { metadata, retrievalMode, thinkMode } = fields
  const text = (name: (typeof texts)[number]) => (fields[name] ?? '') as string
  return {
    message: fields.message as string,
    chatId: text('chatId'),
    url: text('url'),
    email: text('email'),
    apiKey: text('apiKey'),
    restoreToken: text('restoreToken'),
    version: text('version'),
    language: text('language'),
    metadata: typeof metadata === 'string' ? metadata.toWellFormed() : '',
    thinkMode: (thinkMode ?? undefined) as boolean | undefined,
    retrievalMode: retrievalModes[String(retrievalMode)] ?? RetrievalMode.UNSPECIFIED,
  }
}
