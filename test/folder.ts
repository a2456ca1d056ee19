// Folders of tests, in a parent folder that setup.ts removes when all tests have ended.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const createFolder = (): string => mkdtempSync(join(tmpdir(), 'lectern-'))
