// The console: signs in, and shows the screen of the address within the layout.
import { render } from 'preact'
import { useStore } from '../components/store.ts'
import { takeLinks } from './address.ts'
import { Layout } from './layout.tsx'
import { Toasts } from './parts/toasts.tsx'
import { resumeSession, session } from './session.ts'
import { SignIn } from './sign-in.tsx'

function Console() {
  const now = useStore(session)
  return (
    <>
      {now ? <Layout key={now.key} own={now.own} /> : <SignIn />}
      <Toasts />
    </>
  )
}

takeLinks()
await resumeSession()
render(<Console />, document.querySelector('#app')!)
