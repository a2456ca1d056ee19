import { expect, test } from 'vitest'
import { toChildEnvironment } from './variable.ts'

test("hides Lectern's settings from the programs that it starts", () => {
  const environment = { PATH: '/bin', HTTPS_PROXY: 'http://proxy', LECTERN_SECRET: 'x', LECTERN_LLM_KEY: 'y' }
  expect(toChildEnvironment(environment)).toEqual({ PATH: '/bin', HTTPS_PROXY: 'http://proxy' })
})
