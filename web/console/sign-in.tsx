// Sign-in by an API key.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useStore } from '../components/store.ts'
import { server } from './address.ts'
import { signIn, signInReason } from './session.ts'

export function SignIn() {
  const reason = useStore(signInReason)
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  // A link that failed is the newer error.
  useEffect(() => setError(''), [reason])

  async function submit(event: SubmitEvent) {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement).get('key') as string
    // Some paste the whole header.
    const key = given.trim().replace(/^(?:authorization: *)?api-key +/i, '')
    if (key === '') return setError('Paste an API key.')
    if (/\s/.test(key)) return setError('An API key has no spaces. Paste the key alone.')
    setBusy(true)
    await signIn(key).catch((cause: Error) => {
      setError(cause.message)
      setBusy(false)
    })
  }

  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>Lectern console</h1>
        <label class="field">
          <span class="label">API key</span>
          <input
            name="key"
            type="password"
            placeholder="lec_…"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="sign-in-help"
            aria-invalid={error !== ''}
            ref={field}
          />
        </label>
        <p class="error" role="alert">
          {error || reason}
        </p>
        <button class="primary" type="submit" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        <p class="quiet" id="sign-in-help">
          The key stays in this tab and is forgotten when you close it. On the machine that runs Lectern, the
          admin key is in the file <code>admin-key</code> of the data folder, and{' '}
          <code>bin/lectern console</code> prints a link that signs you in.{' '}
          <a href={`${server}manual/keys.html`}>About keys</a>
        </p>
      </form>
    </main>
  )
}
