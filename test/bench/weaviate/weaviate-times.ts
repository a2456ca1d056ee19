// Loaded into Lectern's process: appends the milliseconds of each wait for Weaviate to a file, from sending a request
// to the headers of its response. Concurrent requests count as one wait. Only the index uses HTTP/2 here.
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
