// What the thread that crawls is given by the main thread.
import type { ServiceAddress } from '../crawler/own-services.ts'
import { type Backends, baseUrlOf, type Config, toBackends } from '../services/config.ts'
import { toServiceAddresses } from '../services/service-addresses.ts'

export interface CrawlSettings {
  backends: Backends
  /** Where LECTERN_SECRET lies if it is not given. */
  data: string
  secret: string | null
  crawlAllow: string
  /** What is never crawled: Lectern's own ports and those of its backends. */
  services: ServiceAddress[]
  pageLimit: number | null
  addressLimit: number
  /** Where this Lectern is reached, without a closing slash. */
  base: string
}

export function toCrawlSettings(config: Config): CrawlSettings {
  return {
    backends: toBackends(config),
    data: config.data,
    secret: config.secret,
    crawlAllow: config.crawlAllow,
    services: toServiceAddresses(config),
    pageLimit: config.pageLimit,
    addressLimit: config.addressLimit,
    base: baseUrlOf(config),
  }
}
