// The minimum cost of a call: one HTTP/2 request and its response between two Node processes, without any protocol above.
import { connect } from 'node:http2'

/** As long as a page of ten results in binary. */
export const answerBytes = 10_000
const asked = Buffer.alloc(60)

export function openBareCalls(port: number) {
  const session = connect(`http://127.0.0.1:${port}`)
  return {
    call(): Promise<void> {
      const stream = session.request({ ':method': 'POST', ':path': '/' })
      stream.resume()
      stream.end(asked)
      return new Promise((resolve, reject) => {
        stream.on('end', resolve)
        stream.on('error', reject)
      })
    },
    close: () => session.destroy(),
  }
}
