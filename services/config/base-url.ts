// The address that this Lectern is reached at, as far as its configuration tells.
import type { Config } from '../config.ts'

/** Without a closing slash: `http://127.0.0.1:8080`. */
export function baseUrlOf({ publicUrl, http }: Pick<Config, 'publicUrl' | 'http'>): string {
  return publicUrl ?? `http://${toHost(http)}`
}

/** `host:port`, as somebody on this machine would connect. */
export function toHost({ host, port }: Config['http']): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
