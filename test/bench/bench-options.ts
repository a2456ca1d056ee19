// What a benchmark may be told on the command line.

export interface BenchOptions {
  /** How often each figure is taken; the median is reported. */
  rounds: number
  /** Find the references' best settings anew and write them to quality/settings.json. */
  tune: boolean
  /** Judge quality on the closing half too: for the figures that are reported, never to choose by. */
  closing: boolean
  /** Judge the closed manuals too: for the figures that are reported, once. */
  closed: boolean
  /** Sizes of the corpora of search-latency, in sections. */
  sizes: number[]
  /** Leave Lectern out: the references alone. */
  referencesOnly: boolean
  /** Leave the references of search-quality and search-latency out: Lectern alone. */
  lecternOnly: boolean
}
