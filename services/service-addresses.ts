// Where the services listen that Lectern stands on, and Lectern itself: what the crawler keeps away from.
import type { Address, Config } from './config.ts'

export function toServiceAddresses(config: Config): Address[] {
  const { http, grpc, weaviate, temporal, mongodb, llm, embeddings, coreUrls } = config
  const urls = [weaviate?.url, llm?.url, embeddings && 'url' in embeddings && embeddings.url, ...coreUrls]
  const hosts = [weaviate?.grpc, temporal?.address, ...(mongodb ? hostsOfMongodb(mongodb) : [])]
  return [
    http,
    grpc,
    ...urls.flatMap((url) => (url ? [toAddress(new URL(url))] : [])),
    ...hosts.flatMap((host) => (host ? [toAddress(new URL(`http://${host}`))] : [])),
  ].filter(({ port }) => port > 0)
}

function toAddress({ hostname, port, protocol }: URL): Address {
  const plain = protocol === 'https:' ? 443 : 80
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? plain : Number(port) }
}

/** `mongodb://user:password@a:27017,b/lectern` → `a:27017`, `b:27017`. */
function hostsOfMongodb(url: string): string[] {
  const authority = /^mongodb(?:\+srv)?:\/\/(?:[^/@]*@)?([^/?]*)/.exec(url)?.[1] ?? ''
  return authority
    .split(',')
    .filter((host) => host !== '' && URL.canParse(`http://${host}`))
    .map((host) => (/:\d+$/.test(host) ? host : `${host}:27017`))
}
