// `npm run containers`: separate from `npm test`, because it takes minutes, and much memory and processor time.
import base, { common } from '../../vitest.config.ts'

const { projects: _, ...test } = base.test!

export default {
  test: { ...test, ...common, include: ['test/containers/*.test.ts'] },
}
