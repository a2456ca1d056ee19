// What a crawl would do with an address under settings that are not saved. Nothing is written.
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { nameFields } from '../parts/form.tsx'
import { Failure } from '../parts/notices.tsx'
import { Fact, State } from '../parts/values.tsx'
import { remedies } from '../remedies.ts'
import type { SourceType } from '../rows.ts'
import { api } from '../session.ts'
import { readLabels } from '../source-types.ts'
import { projectPath } from '../sources.ts'

interface Tested {
  outcome: string
  reason: string | null
  message: string
  http_status: number | null
  title: string | null
  headings: string[]
  text: string
  links: string[]
}

interface UrlTesterProps {
  slug: string
  type?: SourceType
  /** Of a saved source; null: `source` has all of its settings. */
  uuid: string | null
  /** Settings that are not saved. Throws ApiError where they cannot be sent. */
  readSource?(): Record<string, unknown>
  /** Tested at once. */
  url?: string
}

export function UrlTester({ slug, type = 'site', uuid, readSource, url: given = '' }: UrlTesterProps) {
  const [url, setUrl] = useState(given)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Tested | null>(null)
  const [error, setError] = useState<ApiError | null>(null)

  useEffect(() => {
    if (given !== '') void test()
  }, [given])

  async function test(event?: SubmitEvent) {
    event?.preventDefault()
    setBusy(true)
    setError(null)
    setResult(null)
    try {
      setResult(await api.post<Tested>(projectPath(slug, 'test-url/'), { url: url.trim(), ...toSource() }))
    } catch (cause) {
      setError(cause as ApiError)
    }
    setBusy(false)
  }

  function toSource() {
    const source = readSource?.()
    if (uuid === null) return { source }
    if (!source) return { source_uuid: uuid }
    const { include, exclude, credentials } = source
    return {
      source_uuid: uuid,
      source: { include, exclude, ...(credentials !== undefined && { credentials }) },
    }
  }

  return (
    <div class="card">
      <h2>Test an address</h2>
      <p class="quiet">
        Reads the page as a crawl would, with the settings that are entered here. Nothing is written.
      </p>
      <form class="filters" onSubmit={test}>
        <label class="grow">
          Address to test
          <input
            type="search"
            inputMode="url"
            value={url}
            placeholder="https://"
            spellcheck={false}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Testing…' : 'Test'}
        </button>
      </form>
      {error && <Failure error={{ message: nameFields(error, readLabels(type)) }} />}
      <div role="status">{result && <Result result={result} />}</div>
    </div>
  )
}

function Result({ result }: { result: Tested }) {
  const { outcome, reason, message, http_status, title, headings, text, links } = result
  const remedy = reason === null ? undefined : remedies[reason]
  return (
    <>
      <dl class="facts">
        <Fact name="Outcome">
          <State name={outcome} />
          {reason && ` (${reason})`}
        </Fact>
        {message && <Fact name="Why">{message}</Fact>}
        {remedy && <Fact name="What to do">{remedy.remedy}</Fact>}
        {http_status !== null && <Fact name="HTTP status">{http_status}</Fact>}
        {title && <Fact name="Title">{title}</Fact>}
        {headings.length > 0 && <Fact name="Headings">{headings.join(' · ')}</Fact>}
        {links.length > 0 && <Fact name="Links">{links.length}</Fact>}
      </dl>
      {text && (
        <details>
          <summary>The text that would be indexed</summary>
          <pre class="text" tabIndex={0}>
            {text}
          </pre>
        </details>
      )}
    </>
  )
}
