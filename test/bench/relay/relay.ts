// The path of a token to the reader: frames per second compared with a bare uWebSockets.js app that sends the same frames, and
// the delay added to a model's own times while 144 chats are live.
import type { BenchOptions } from '../bench-options.ts'
import type { Table } from '../report.ts'
import { measureDelays } from './delays.ts'
import { measureRates } from './rates.ts'

export async function measureRelay({ rounds }: BenchOptions): Promise<Table[]> {
  return [await measureRates(rounds), ...(await measureDelays())]
}
