// The best n of a stream of scores: a heap with the lowest of them on top.
import type { Segment } from './segment.ts'

export interface Place {
  segment: Segment
  place: number
  score: number
}

/**
 * Keeps `limit` of what is added. `least` is the score that one must exceed to get in; 0 until the heap is full.
 *
 * limit 2, added 5, 3, 4: heap [5], then [3, 5], then 4 takes the place of 3: [4, 5], least 4.
 */
export function createTop<Entry extends Place = Place>(limit: number) {
  const heap: Entry[] = []
  const less = (a: number, b: number) => heap[a]!.score < heap[b]!.score
  const swap = (a: number, b: number) => {
    const kept = heap[a]!
    heap[a] = heap[b]!
    heap[b] = kept
  }

  function rise(at: number) {
    for (let above = (at - 1) >> 1; at > 0 && less(at, above); above = (at - 1) >> 1) {
      swap(at, above)
      at = above
    }
  }

  function sink() {
    for (let at = 0; ; ) {
      let least = at
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < heap.length && less(below, least)) least = below
      if (least === at) return
      swap(at, least)
      at = least
    }
  }

  return {
    least: () => (heap.length < limit ? 0 : heap[0]!.score),
    add(entry: Entry) {
      if (heap.length < limit) {
        heap.push(entry)
        rise(heap.length - 1)
      } else {
        heap[0] = entry
        sink()
      }
    },
    /** Best first; of equal ones, the earlier written. */
    best: () => heap.sort((a, b) => b.score - a.score || a.place - b.place),
  }
}
