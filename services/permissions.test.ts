// The contract names the permissions that a key can have: those that the code knows, by current and legacy names.
import { getOption } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { field as fieldOption } from '../gen/buf/validate/validate_pb.js'
import { CreateKeyRequestSchema } from '../gen/lectern/v1/key_pb.js'
import { permissions, readPermission } from './permissions.ts'

it('reads every permission name of the contract, which has every permission', () => {
  const { type } = getOption(CreateKeyRequestSchema.field.permissions, fieldOption)
  const items = type.case === 'repeated' ? type.value.items?.type : undefined
  const allowed = items?.case === 'string' ? items.value.in : []
  expect(new Set(allowed.map(readPermission))).toEqual(new Set(permissions))
})
