// The layout around the screens: navigation, the choice of a project, and the screen, which is loaded when it is opened.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useStore } from '../components/store.ts'
import { address, go, type Parameters, projectHref, server, toHref } from './address.ts'
import type { ApiError } from './api.ts'
import { Failure } from './parts/notices.tsx'
import { projects, readProjects } from './projects.ts'
import type { OwnKey } from './rows.ts'
import { findScreen, type ScreenComponent, type ScreenRow, screens } from './screens.ts'
import { may, signOut } from './session.ts'

export function Layout({ own }: { own: OwnKey }) {
  const { path } = useStore(address)
  const found = findScreen(path)
  const slug = found?.parameters.slug ?? /^projects\/([^/]+)/.exec(path)?.[1] ?? null

  useEffect(() => void readProjects(), [])

  return (
    <div class="layout">
      <a class="skip" href="#screen" onClick={skip}>
        Skip to the content
      </a>
      <header class="side">
        <a class="brand" href={toHref('')}>
          Lectern
        </a>
        <Navigation slug={slug} open={found?.screen ?? null} />
        <div class="who">
          <span class="quiet" title={own.name}>
            {own.name} · {own.team_name}
          </span>
          <span class="row">
            <a href={`${server}manual/`} target="_blank" rel="noopener">
              Manual
            </a>
            <button class="plain" type="button" onClick={signOut}>
              Sign out
            </button>
          </span>
        </div>
      </header>
      <main id="screen" tabIndex={-1}>
        {found === null ? (
          <Lost slug={/^projects\/[^/]+$/.test(path) ? slug : null} />
        ) : may(found.screen.permission) ? (
          <Open key={path} screen={found.screen} parameters={found.parameters} />
        ) : (
          <Refused screen={found.screen} />
        )}
      </main>
    </div>
  )
}

/** The router would treat the hash as a link within the console. */
function skip(event: Event) {
  event.preventDefault()
  document.querySelector<HTMLElement>('#screen')?.focus()
}

function Navigation({ slug, open }: { slug: string | null; open: ScreenRow | null }) {
  const known = useStore(projects)
  const nav = useRef<HTMLElement>(null)
  // In a narrow window, the links are one line that scrolls, and the choice of a project covers its start.
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current], .open')
    if (link) nav.current!.scrollLeft = link.offsetLeft + 1.5 * link.offsetWidth - nav.current!.clientWidth
  }, [open, known])
  const links = (group: ScreenRow['group'], toAddress: (path: string) => string) =>
    screens
      .filter((screen) => screen.group === group && may(screen.permission))
      .map((screen) => (
        <a
          key={screen.path}
          href={toAddress(screen.path)}
          aria-current={screen === open ? 'page' : undefined}
          class={isBelow(open, screen) ? 'open' : ''}
        >
          {screen.title}
        </a>
      ))
  return (
    <nav aria-label="Console" ref={nav}>
      {links('all', (path) => toHref(path))}
      {known.length > 0 && (
        <select
          aria-label="Project"
          value={slug ?? ''}
          onChange={(event) => openProject(event.currentTarget.value, open)}
        >
          {slug === null && <option value="">Choose a project</option>}
          {slug !== null && !known.some((each) => each.slug === slug) && <option value={slug}>{slug}</option>}
          {known.map((each) => (
            <option key={each.slug} value={each.slug}>
              {each.name}
            </option>
          ))}
        </select>
      )}
      {slug !== null && links('project', (path) => projectHref(slug, toScreenName(path)))}
      {links('team', (path) => toHref(path))}
    </nav>
  )
}

const toScreenName = (path: string) => path.split('/').slice(2).join('/')

/** A run belongs to the item of the runs. */
function isBelow(open: ScreenRow | null, screen: ScreenRow): boolean {
  return open !== null && open.group === null && screen.path !== '' && open.path.startsWith(`${screen.path}/`)
}

/** The same screen of another project. */
function openProject(slug: string, open: ScreenRow | null) {
  if (slug === '') return
  const screen = open?.group === 'project' ? open : firstOfProject()
  if (screen) go(projectHref(slug, toScreenName(screen.path)))
}

export function firstOfProject(): ScreenRow | undefined {
  return screens.find(({ group, permission }) => group === 'project' && may(permission))
}

function Open({ screen, parameters }: { screen: ScreenRow; parameters: Parameters }) {
  const [Component, setComponent] = useState<ScreenComponent | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const isFirst = useRef(document.activeElement === document.body)

  useEffect(() => {
    document.title = [screen.title, parameters.slug, 'Lectern'].filter(Boolean).join(' · ')
    screen.load().then(
      (module) => setComponent(() => module.Screen),
      () =>
        setError({ message: 'This part of the console could not be loaded. Reload the page.' } as ApiError),
    )
  }, [])
  // Keyboard users continue in the screen, not in the navigation.
  useEffect(() => {
    if (Component && !isFirst.current) document.querySelector<HTMLElement>('#screen')?.focus()
  }, [Component])

  if (error) return <Failure error={error} />
  return Component && <Component parameters={parameters} />
}

/** `projects/guide` alone leads to the project's first screen. */
function Lost({ slug }: { slug: string | null }) {
  const first = firstOfProject()
  useEffect(() => {
    if (slug !== null && first) go(projectHref(slug, toScreenName(first.path)), { replace: true })
  }, [slug])
  return (
    <section>
      <h1>There is nothing here</h1>
      <p>
        The console has no screen at this address. <a href={toHref('')}>To the overview</a>
      </p>
    </section>
  )
}

function Refused({ screen }: { screen: ScreenRow }) {
  return (
    <section>
      <h1>{screen.title}</h1>
      <p>
        Your key lacks the permission <code>{screen.permission}</code>. Sign in with a key that has it, or ask
        an administrator of the team for one.
      </p>
    </section>
  )
}
