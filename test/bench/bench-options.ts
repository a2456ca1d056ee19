// Command-line options of a benchmark.

export interface BenchOptions {
  /** How often each figure is measured; the median is reported. */
  rounds: number
  /** Also judge quality on the closing half: for reported figures, never for choices. */
  closing: boolean
  /** Also judge the closed and the sealed manuals: for reported figures, once. */
  closed: boolean
  /** Sizes of the corpora of search-latency and scale, in sections. */
  sizes: number[]
  /** Parts of `scale`, or manuals to judge or fit; all if empty. */
  only: string[]
}
