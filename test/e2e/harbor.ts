// Lectern with a small crawled documentation site for conversations: one public and one private
// project.
import { type LecternProcess, runEnded, startLectern } from './lectern-process.ts'
import { htmlPage, openSite } from './site.ts'

export interface Harbor {
  lectern: LecternProcess
  /** Base address of the site. */
  site: string
  /** Address of a project's socket. */
  socket(slug?: string): string
  close(): Promise<void>
}

const pages = {
  '/': htmlPage('Harbor', 'Harbor is a command line tool that deploys static sites.', [
    'install.html',
    'deploy.html',
    'proxy.html',
  ]),
  '/install.html': htmlPage(
    'Installing Harbor',
    'To install Harbor on Linux, run the command apt install harbor as root. To install Harbor on Windows, download the file harbor.msi and open it. Harbor needs 200 MB of disk space.',
  ),
  '/deploy.html': htmlPage(
    'Deploying a site',
    'The command harbor deploy uploads the folder to the server. The option --dry-run shows which files would be uploaded without uploading them.',
  ),
  '/proxy.html': htmlPage(
    'Using a proxy',
    'Harbor reads the address of the proxy from the environment variable HARBOR_PROXY. Without it, Harbor connects directly.',
  ),
}

/** Maximum milliseconds for crawling four pages. Two such crawls fit into the timeout of a hook. */
const crawlTimeoutMs = 140_000

let shared: Promise<Harbor> | undefined

/** One instance for all suites of a test file. The file closes it. */
export function sharedHarbor(): Promise<Harbor> {
  shared ??= openHarbor({ LECTERN_TRUST_PROXY: '127.0.0.1', LECTERN_LEGACY_CHATS: 'same-address' })
  return shared
}

export const closeSharedHarbor = async () => (await shared)?.close()

/** `env`: settings of Lectern. */
export async function openHarbor(env: Record<string, string> = {}, crawlsManual = false): Promise<Harbor> {
  const site = await openSite(pages)
  const lectern = await startLectern({ env, crawlsManual })
  try {
    await addHarborProject({ lectern, site: site.url }, 'harbor')
    await addHarborProject({ lectern, site: site.url }, 'secret', true)
  } catch (error) {
    // No process remains that would claim runs of the next one on shared servers.
    await lectern.remove()
    throw error
  }
  return {
    lectern,
    site: site.url,
    socket: (slug = 'harbor') => `${lectern.baseUrl.replace('http', 'ws')}/ws/messages/${slug}/`,
    async close() {
      await lectern.remove()
      await site.close()
    },
  }
}

/** Creates another project with the same site and crawls it. */
export async function addHarborProject(
  { lectern, site }: Pick<Harbor, 'lectern' | 'site'>,
  slug: string,
  isPrivate = false,
): Promise<void> {
  await lectern.call('POST', '/api/v2/projects/', { name: slug, slug, is_private: isPrivate })
  await lectern.call('POST', `/api/v2/projects/${slug}/sources/`, { type: 'site', url: site })
  const { body } = await lectern.call('POST', `/api/v2/projects/${slug}/sync/`)
  await runEnded(lectern, slug, body.uuid, crawlTimeoutMs)
}
