// Wraps services/index/segments/manifest.ts, whose write publishes a change of the index.
import * as manifest from '../../../services/index/segments/manifest.ts'
import { createDoomWatch } from './doom.ts'

export * from '../../../services/index/segments/manifest.ts'

const { aroundSync } = createDoomWatch(process.env.LECTERN_DATA!)

export const writeManifest: typeof manifest.writeManifest = (...args) =>
  aroundSync('manifest.write', () => manifest.writeManifest(...args))
