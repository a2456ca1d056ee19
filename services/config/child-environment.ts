// The environment of programs that Lectern starts: its own settings, which hold keys, are none of theirs.
import type { Environment } from './variable.ts'

export function toChildEnvironment(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('LECTERN_')))
}
