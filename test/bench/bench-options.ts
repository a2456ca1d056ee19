// What a benchmark may be told on the command line.

export interface BenchOptions {
  /** How often each figure is taken; the median is reported. */
  rounds: number
  /** Judge quality on the closing half too: for the figures that are reported, never to choose by. */
  closing: boolean
  /** Judge the closed and the sealed manuals too: for the figures that are reported, once. */
  closed: boolean
  /** Sizes of the corpora of search-latency and scale, in sections. */
  sizes: number[]
  /** Parts of `scale`, or manuals of what judges and fits them; all where it is empty. */
  only: string[]
}
