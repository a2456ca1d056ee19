// The console: signs in, and shows the screen of the address within the layout.
import { render } from 'preact'
import { useStore } from '../components/store.ts'
import { AcceptInvitation } from './accept-invitation.tsx'
import { address, takeLinks } from './address.ts'
import { Layout } from './layout.tsx'
import { Toasts } from './parts/toasts.tsx'
import { findScreen } from './screens.ts'
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
// A link that is pasted into the address bar of an open console does not load the page.
addEventListener('hashchange', () => {
  if (/^#(link|invitation)=/.test(location.hash)) void resumeSession()
})
// Loads the screen's chunk while the key is checked. A failure is shown when the screen opens.
findScreen(address.value.path)
  ?.screen.load()
  .catch(() => {})
await resumeSession()
render(<Console />, document.querySelector('#app')!)
