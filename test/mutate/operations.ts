// Starting, stopping, settings, metrics and telemetry.
import type { Mutation } from './mutation.ts'

export const operationsMutations: Mutation[] = []
