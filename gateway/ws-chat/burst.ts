// Bursts on one connection: when 10 messages were accepted within the last 30 s, the next is refused.

const windowMs = 30_000
const maxCount = 10

interface Burst {
  /** Seconds until the next message is accepted; 0: it is now. */
  wait(): number
  /** Notes that a message is accepted; what it answers takes that back. */
  accept(): () => void
}

/** `now` in milliseconds. */
export function createBurst(now: () => number): Burst {
  let accepted: number[] = []
  return {
    wait() {
      accepted = accepted.filter((at) => now() - at < windowMs)
      const [first] = accepted
      if (first === undefined || accepted.length < maxCount) return 0
      return Math.ceil((first + windowMs - now()) / 1000)
    },
    accept() {
      const at = now()
      accepted.push(at)
      return () => {
        accepted.splice(accepted.indexOf(at), 1)
      }
    },
  }
}
