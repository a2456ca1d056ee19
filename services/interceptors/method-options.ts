// What the contract says of an RPC (options.proto). Options are slow to read, so each RPC's are read once.
import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf'
import { type Access, access, body } from '../../gen/lectern/v1/options_pb.js'

export interface MethodOptions {
  /** Null for RPCs that are not ours. */
  access: Access | null
  /** The field of the request that is the body in REST; '' for the request itself. */
  body: string
}

const known = new WeakMap<DescMethod, MethodOptions>()

export function optionsOf(method: DescMethod): MethodOptions {
  const read = known.get(method) ?? {
    access: hasOption(method, access) ? getOption(method, access) : null,
    body: getOption(method, body),
  }
  known.set(method, read)
  return read
}
