// Detects languages in the thread of the test.
import { createReadLanguages } from '../services/answer/replies.ts'
import { detectLanguages } from '../services/index/detected-language.ts'

export const readLanguages = createReadLanguages(detectLanguages, (error) => {
  throw error
})
