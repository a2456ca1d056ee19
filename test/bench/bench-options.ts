// Command-line options of a benchmark.

/** Of search-latency and scale. */
export const defaultSizes = [10_000, 100_000, 1_000_000]

export interface BenchOptions {
  /** How often each figure is measured; the median is reported. */
  rounds: number
  /** Also judge quality on the closing half: for reported figures, never for choices. */
  closing: boolean
  /** Also judge the closed and the sealed manuals: for reported figures, once. */
  closed: boolean
  /** Sizes of the corpora of search-latency, weaviate-share and scale, in sections; empty: the benchmark's own. */
  sizes: number[]
  /** Parts of `scale`, or manuals to judge or fit; all if empty. */
  only: string[]
}
