// Loaded into Lectern beside its own code: appends to a file how many milliseconds each wait for Weaviate took, from a request
// that is sent to the headers of its answer, requests at once counting as one wait. Only the index speaks HTTP/2 here.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'

const file = process.env.WEAVIATE_TIMES!

let underWay = 0
let since = 0

subscribe('http2.client.stream.start', () => {
  if (underWay === 0) since = performance.now()
  underWay += 1
})
subscribe('http2.client.stream.finish', () => {
  underWay -= 1
  if (underWay === 0) appendFileSync(file, `${performance.now() - since}\n`)
})
