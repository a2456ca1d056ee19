// Parses a recorded history for the replayer. The SDK's own reader fails if npm has installed
// protobufjs more than once; this one uses the copy of the message types.
import { createRequire } from 'node:module'
import type { temporal } from '@temporalio/proto'

const require = createRequire(createRequire(import.meta.url).resolve('@temporalio/proto'))
const { fromJson } = require('protobufjs/ext/protojson.js')
const root = require('@temporalio/proto')

/** `json`: the parsed output of `temporal workflow show --output json`. */
export function toHistory(json: unknown): temporal.api.history.v1.IHistory {
  return fromJson(root.lookupType('temporal.api.history.v1.History'), json, { ignoreUnknownFields: true })
}
