// Decides for a gateway whether a caller may call, before it reads what was sent: by the same rules as the call itself.
import type { DescMethod } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import type { AdmissionService } from '../../gen/lectern/v1/admission_pb.js'
import { callerOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import { services } from '../routes.ts'
import type { Authorize } from './auth.ts'

const methods = new Map<string, DescMethod>(
  services.flatMap((service) =>
    service.methods.map((method) => [`${service.typeName}/${method.name}`, method] as const),
  ),
)

export function createAdmissionService(authorize: Authorize): Partial<ServiceImpl<typeof AdmissionService>> {
  return {
    async admit({ rpc, projectSlug, hasRestoreToken }, context) {
      const method = methods.get(rpc)
      if (!method) throw new DomainError('invalid', `There is no RPC ${rpc}.`, { rpc: ['is unknown'] })
      await authorize(method, callerOf(context), { slug: projectSlug, hasRestoreToken })
      return {}
    },
  }
}
