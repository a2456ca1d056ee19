// weaviate-client 3.14 writes a stack to the console before each further try of its own, and offers no way to stop it. That
// Weaviate is away has a line of its own in the log (services/main/waiting.ts).

const isRetry = /^(Attempt|Healthcheck) \d+ failed\. Retrying in /

/** A `console.warn` that passes over these and says all else. */
export function withoutRetries(warn: (...said: unknown[]) => void): (...said: unknown[]) => void {
  return (...said) => {
    if (!isRetry.test(String(said[1]))) warn(...said)
  }
}
