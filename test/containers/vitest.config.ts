// `npm run containers`: separate from `npm test`, because it takes minutes, and much memory and processor time.
import base from '../../vitest.config.ts'

export default {
  ...base,
  test: { ...base.test, include: ['test/containers/*.test.ts'], exclude: [] },
}
