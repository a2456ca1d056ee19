// The page of an invitation link: asks for a name, then shows the personal key that the member signs in with.
import { useState } from 'preact/hooks'
import { Secret } from './parts/copied.tsx'
import { Form, TextField } from './parts/form.tsx'
import { api, invitation, signIn } from './session.ts'

export function AcceptInvitation({ token }: { token: string }) {
  const [name, setName] = useState('')
  const [key, setKey] = useState<string | null>(null)

  async function accept() {
    setKey((await api.post<{ key: string }>('team/invitations/accept/', { token, name })).key)
  }

  return (
    <main class="sign-in">
      <div class="card">
        <h1>Join the team</h1>
        {key === null ? (
          <Form submit="Accept the invitation" onSubmit={accept}>
            <TextField name="name" label="Your name" value={name} onChange={setName} />
          </Form>
        ) : (
          <Form submit="Continue to the console" onSubmit={() => enter(key)}>
            <Secret label="Your API key" text={key}>
              You are a member now. Keep this key: it signs you in.
            </Secret>
          </Form>
        )}
      </div>
    </main>
  )
}

async function enter(key: string): Promise<void> {
  await signIn(key)
  invitation.value = null
}
