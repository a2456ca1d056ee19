// `npm run containers`: separate, because it takes a machine's memory and cores, and minutes.
import base from '../../vitest.config.ts'

export default {
  ...base,
  test: { ...base.test, include: ['test/containers/*.test.ts'], exclude: [] },
}
