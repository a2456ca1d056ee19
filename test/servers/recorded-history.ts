// A recorded history as the replayer wants it. The SDK's own reader of such files does not work where npm has installed
// protobufjs more than once; this one takes the copy that the message types were made with.
import { createRequire } from 'node:module'
import type { temporal } from '@temporalio/proto'

const require = createRequire(createRequire(import.meta.url).resolve('@temporalio/proto'))
const { fromJson } = require('protobufjs/ext/protojson.js')
const root = require('@temporalio/proto')

/** `json`: what `temporal workflow show --output json` prints, parsed. */
export function toHistory(json: unknown): temporal.api.history.v1.IHistory {
  return fromJson(root.lookupType('temporal.api.history.v1.History'), json, { ignoreUnknownFields: true })
}
