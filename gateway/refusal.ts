// What the gateway itself refuses, before or instead of asking the core. errors.ts gives it its status.

/** Field path in the JSON of the caller (`config.chat.actions`) → what is wrong with it, each a short phrase. */
export type FieldErrors = Record<string, string[]>

export type RefusalReason =
  | 'invalid'
  | 'read_only'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable'

export class Refusal extends Error {
  readonly reason: RefusalReason
  readonly fields: FieldErrors
  /** Headers that go with it: `allow` of a 405. */
  readonly headers: Record<string, string>

  /** `sentence` is for a person. */
  constructor(
    reason: RefusalReason,
    sentence: string,
    fields: FieldErrors = {},
    headers: Record<string, string> = {},
  ) {
    super(sentence)
    this.name = 'Refusal'
    this.reason = reason
    this.fields = fields
    this.headers = headers
  }
}
