// A Docker engine with Docker Compose for tests, separate from one that already runs. Images and layers are stored in
// ~/.cache/lectern-containers. Needs root on Linux, and Debian's docker.io and mmdebstrap.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { binaryOf, binFolder } from '../servers/binaries.ts'

export interface Engine {
  /** The output of the command. Rejects with its error output if it fails. */
  docker(...args: string[]): Promise<string>
  /** `docker compose` on docker-compose.yml and override.yml. */
  compose(...args: string[]): Promise<string>
  /** Stops every container and the engine. */
  close(): Promise<void>
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const cacheFolder = join(homedir(), '.cache', 'lectern-containers')
const compose = { module: 'github.com/docker/compose/v2', version: 'v2.40.3' }
const composePath = join(binFolder, `compose-${compose.version}`)
/** The base image in the Dockerfile. */
export const baseImage = /^FROM (node:\S+)/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))![1]!

/** The contents of `.env`. FerretDB, which replaces MongoDB, has no users. */
const settings = {
  MONGODB_ROOT_PASSWORD: 'a-root-password-for-tests',
  MONGODB_PASSWORD: 'a-password-for-tests',
  LECTERN_WEAVIATE_KEY: 'a-weaviate-key-for-tests',
  LECTERN_ADMIN_KEY: 'an-admin-key-for-tests-only',
  LECTERN_SECRET: Buffer.alloc(32, 7).toString('base64'),
  LECTERN_CRAWL_ALLOW: '10.77.0.1/32',
  GATEWAY_PUBLISH: '127.0.0.1:18080-18081',
  LECTERN_TRUST_PROXY: '10.77.0.1',
}
export const adminKey = settings.LECTERN_ADMIN_KEY

/** Returns the reason instead of an engine if this machine cannot run containers. */
export async function openEngine(): Promise<Engine | string> {
  if (process.platform !== 'linux' || process.getuid!() !== 0) return 'they need root on Linux'
  const missing = ['dockerd', 'docker', 'mmdebstrap', 'go'].filter(
    (name) => spawnSync('which', [name]).status !== 0,
  )
  if (missing.length > 0)
    return `${missing.join(', ')} not found: install them with apt-get install docker.io mmdebstrap golang`
  const engine = await startEngine()
  if (typeof engine === 'string') return engine
  try {
    await provideBase(engine)
    await engine.docker('run', '--rm', '--network', 'none', baseImage, 'true')
    if (!existsSync(composePath)) buildCompose()
    return engine
  } catch (error) {
    await engine.close()
    return (error as Error).message.replaceAll(/\s+/g, ' ')
  }
}

/** Removes the containers, networks, volumes and unnamed images of earlier runs, including interrupted ones. */
const clear = `ids=$(docker ps --all --quiet); [ -z "$ids" ] || docker rm --force --volumes $ids
docker network prune --force; docker volume ls --quiet | xargs --no-run-if-empty docker volume rm --force; docker image prune --force`

/** Runs the engine. SIGTERM, which it receives when this process ends, stops it and everything in it. */
const engineScript = `dockerd "$@" & daemon=$!
trap '(${clear}) > /dev/null; kill $daemon' TERM
wait $daemon; wait $daemon
rm -rf "$0"`

async function startEngine(): Promise<Engine | string> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-engine-'))
  const host = `unix://${folder}/socket`
  // Without firewall rules, containers reach only each other and this machine.
  const flags = [
    '--iptables=false',
    '--ip6tables=false',
    '--ip-masq=false',
    '--ip-forward=false',
    '--bridge=none',
  ]
  const places = [
    '--data-root',
    join(cacheFolder, 'docker'),
    '--exec-root',
    join(folder, 'exec'),
    '--pidfile',
    join(cacheFolder, 'pid'),
  ]
  mkdirSync(cacheFolder, { recursive: true })
  // In a separate process group, so that Ctrl+C does not reach it: it stops when this process ends.
  const daemon = spawn(
    'setpriv',
    ['--pdeathsig', 'TERM', 'bash', '-c', engineScript, folder, '--host', host, ...places, ...flags],
    { detached: true, env: { ...process.env, DOCKER_HOST: host } },
  )
  let lastOutput = ''
  for (const stream of [daemon.stdout, daemon.stderr]) stream.on('data', (data) => (lastOutput = `${data}`))
  const end = once(daemon, 'exit')

  const run = async (program: string, args: string[]) => {
    const env = {
      ...process.env,
      ...settings,
      DOCKER_HOST: host,
      ROOT: root,
      SERVERS: binFolder,
      BASE: baseImage,
    }
    const options = { cwd: root, env: { ...env, ...standIns() }, maxBuffer: 2 ** 28 }
    return (await promisify(execFile)(program, args, options)).stdout.trim()
  }
  const files = ['--env-file', '/dev/null', '-f', 'docker-compose.yml', '-f', 'test/containers/override.yml']
  const engine: Engine = {
    docker: (...args) => run('docker', args),
    compose: (...args) => run(composePath, [...files, ...args]),
    async close() {
      daemon.kill('SIGTERM')
      await end
    },
  }
  while (daemon.exitCode === null) {
    if (await engine.docker('info').catch(() => null)) {
      await run('bash', ['-c', clear])
      return engine
    }
    await after(200)
  }
  return `dockerd exited: ${lastOutput.trim()}`
}

/** File names of the built servers, by their variables in override.yml. */
function standIns(): Record<string, string> {
  const names = ['ferretdb', 'weaviate', 'temporal'] as const
  return Object.fromEntries(names.map((name) => [name.toUpperCase(), basename(binaryOf(name))]))
}

/** Builds a Debian image with Node and npm, under the name of the Dockerfile's base image. Its pip downloads the model. */
async function provideBase(engine: Engine): Promise<void> {
  if ((await engine.docker('images', '-q', baseImage)) !== '') return
  const npm = dirname(dirname(spawnSync('readlink', ['-f', '/usr/bin/npm'], { encoding: 'utf8' }).stdout))
  const certificates = '/etc/ssl/certs/ca-certificates.crt'
  const tar = join(cacheFolder, 'base.tar')
  const hooks = [
    'mkdir -p "$1"/usr/local/lib/node_modules && chroot "$1" useradd --create-home --uid 1000 node',
    `copy-in ${process.execPath} /usr/local/bin`,
    `copy-in ${npm} /usr/local/lib/node_modules`,
    `copy-in ${certificates} /etc/ssl/certs`,
    'ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1"/usr/local/bin/npm',
  ]
  const packages = '--include=ca-certificates,python3-pip,busybox'
  await promisify(execFile)('mmdebstrap', [
    ...['--variant=minbase', packages, ...hooks.map((hook) => `--customize-hook=${hook}`), 'bookworm', tar],
  ])
  const trust = ['NODE_EXTRA_CA_CERTS', 'PIP_CERT'].flatMap((name) => [
    '--change',
    `ENV ${name}=${certificates}`,
  ])
  await engine.docker('import', ...trust, tar, baseImage)
}

/** Not by `go install`, which rejects a module with exclude directives. */
function buildCompose(): void {
  const go = (args: string[], cwd: string) => {
    const { status, stdout, stderr } = spawnSync('go', args, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`go ${args.join(' ')} failed: ${stderr}`)
    return stdout
  }
  mkdirSync(binFolder, { recursive: true })
  const { Dir } = JSON.parse(
    go(['mod', 'download', '-json', `${compose.module}@${compose.version}`], binFolder),
  )
  go(['build', '-trimpath', '-ldflags=-s -w', '-o', `${composePath}.new`, './cmd'], Dir)
  renameSync(`${composePath}.new`, composePath)
}
