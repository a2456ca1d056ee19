// The console: signs in, and shows the screen of the address within the layout.
import { render } from 'preact'
import { useStore } from '../components/store.ts'
import { AcceptInvitation } from './accept-invitation.tsx'
import { takeLinks } from './address.ts'
import { Layout } from './layout.tsx'
import { Toasts } from './parts/toasts.tsx'
import { invitation, resumeSession, session } from './session.ts'
import { SignIn } from './sign-in.tsx'

function Console() {
  const now = useStore(session)
  const token = useStore(invitation)
  return (
    <>
      {token !== null ? (
        <AcceptInvitation token={token} />
      ) : now ? (
        <Layout key={now.key} own={now.own} />
      ) : (
        <SignIn />
      )}
      <Toasts />
    </>
  )
}

takeLinks()
await resumeSession()
render(<Console />, document.querySelector('#app')!)
